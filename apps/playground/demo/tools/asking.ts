import { z } from 'zod'
import { askForm, defineTool, errorResult, textResult } from '../tool.js'

const COLOURS = ['red', 'orange', 'yellow', 'green', 'blue', 'violet'] as const
const NO_ELICITATION = 'This tool has a question for you, but your client does not offer form elicitation.'
const DECLINED = 'You chose not to answer.'

const profile = z.object({
  name: z.string().min(1).max(100).meta({ title: 'Name', description: 'What shall I call you?' }),
  colour: z.enum(COLOURS).default('blue').meta({ title: 'Favourite colour' }),
})

export const elicitation = defineTool({
  name: 'elicitation',
  title: 'Question to you',
  description: 'Asks for your name and favourite colour while the call is running, and answers with both.',
  input: z.object({}),
  async run(_args, { elicit }) {
    if (!elicit) return errorResult(NO_ELICITATION)
    const answer = await askForm(elicit, 'profile', 'Please introduce yourself.', profile)
    return textResult(answer ? `Hello ${answer.name}, ${answer.colour} suits you!` : DECLINED)
  },
})

const table = z.object({
  guests: z.int().min(1).max(12).default(2).meta({ title: 'Guests' }),
  day: z.iso.date().meta({ title: 'Day' }),
})

const confirmation = z.object({
  confirmed: z.boolean().default(false).meta({ title: 'Reserve this table' }),
})

export const elicitationSteps = defineTool({
  name: 'elicitation_steps',
  title: 'Two questions',
  description: 'Reserves an imaginary table: first asks for guests and day, then asks you to confirm.',
  input: z.object({}),
  async run(_args, { elicit }) {
    if (!elicit) return errorResult(NO_ELICITATION)
    const wish = await askForm(elicit, 'table', 'For how many, and when?', table)
    if (!wish) return textResult(DECLINED)
    const summary = `a table for ${wish.guests} on ${wish.day}`
    const answer = await askForm(elicit, 'confirmation', `Shall I reserve ${summary}?`, confirmation)
    return textResult(answer?.confirmed ? `Reserved: ${summary}.` : 'Nothing was reserved.')
  },
})
