import { completable, type GetPromptResult } from '@modelcontextprotocol/server'
import { z } from 'zod'
import { completeCity } from './cities.js'
import { contentOf, PICTURE, README } from './resources.js'

export interface PromptArgument {
  description: string
  maxLength: number
  /** A required argument may be completed; the SDKs disagree about optional ones. */
  kind: { required: true; complete(typed: string): string[] } | { required: false }
}

/** One prompt, the same for both eras. */
export interface DemoPrompt {
  name: string
  title: string
  description: string
  arguments: Record<string, PromptArgument>
  messages(args: Record<string, string | undefined>): GetPromptResult['messages']
}

const TRAVEL_STYLES = ['art', 'food', 'nature', 'nightlife', 'quiet']

export const PROMPTS: readonly DemoPrompt[] = [
  {
    name: 'explain_server',
    title: 'Explain this server',
    description: 'Asks the model to explain what this server can do. Takes no arguments.',
    arguments: {},
    messages: () => [
      user({
        type: 'text',
        text: 'Explain in five short sentences what this MCP server offers and what to try first.',
      }),
      user({ type: 'resource', resource: contentOf(README) }),
    ],
  },
  {
    name: 'describe_picture',
    title: 'Describe the picture',
    description: 'Hands the model a picture and asks what it shows. Takes no arguments.',
    arguments: {},
    messages: () => [
      user({ type: 'text', text: 'Describe this picture in one sentence.' }),
      user({ type: 'image', mimeType: PICTURE.mimeType, data: PICTURE.bytes().toString('base64') }),
    ],
  },
  {
    name: 'plan_trip',
    title: 'Plan a trip',
    description: 'Asks the model to plan a day in a city. City and style complete as you type.',
    arguments: {
      city: {
        description: 'Where to go.',
        maxLength: 100,
        kind: { required: true, complete: completeCity },
      },
      style: {
        description: 'What the day is about.',
        maxLength: 100,
        kind: {
          required: true,
          complete: (typed) => TRAVEL_STYLES.filter((style) => style.startsWith(typed.toLowerCase())),
        },
      },
      wishes: { description: 'Anything else; optional.', maxLength: 1000, kind: { required: false } },
    },
    messages: ({ city, style, wishes }) => [
      user({
        type: 'text',
        text: `Plan a day in ${city} with a focus on ${style}. Use the weather tool first.${wishes ? ` Mind this: ${wishes}` : ''}`,
      }),
      { role: 'assistant', content: { type: 'text', text: `Gladly. Let me look up the weather in ${city}.` } },
      user({ type: 'text', text: 'Please do, then write the plan.' }),
    ],
  },
]

/** The arguments as schemas. Both SDKs find a completion under the same well-known symbol, so one of them can put it there. */
export function argumentsOf(prompt: DemoPrompt): Record<string, z.ZodType<string | undefined>> {
  return Object.fromEntries(
    Object.entries(prompt.arguments).map(([name, { description, maxLength, kind }]) => {
      const text = z.string().max(maxLength).describe(description)
      return [name, kind.required ? completable(text, kind.complete) : text.optional()]
    }),
  )
}

function user(content: GetPromptResult['messages'][number]['content']): GetPromptResult['messages'][number] {
  return { role: 'user', content }
}
