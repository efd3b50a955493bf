import type { ElicitRequest, ElicitResult } from '@modelcontextprotocol/client'
import { describe, expect, it } from 'vitest'
import { connectDemo, ERAS } from './demo-client.js'
import { runDemo } from './running-demo.js'

describe.each(ERAS)('elicitation, %s', (era) => {
  async function call(name: string, answers: ElicitResult[]) {
    const { url, events } = await runDemo()
    const questions: ElicitRequest['params'][] = []
    const client = await connectDemo(era, url, {
      elicit(params) {
        questions.push(params)
        return answers.shift() ?? { action: 'cancel' }
      },
    })
    const result = await client.callTool(name)
    const phases = events.flatMap((event) => (event.type === 'tool' ? [event.phase] : []))
    return { questions, result, phases }
  }

  it('asks by a form and uses the answer', async () => {
    const { questions, result } = await call('elicitation', [
      { action: 'accept', content: { name: 'Ada', colour: 'green' } },
    ])
    expect(result).toMatchObject({ content: [{ type: 'text', text: 'Hello Ada, green suits you!' }] })
    expect(questions).toHaveLength(1)
    expect(questions[0]).toMatchObject({
      message: 'Please introduce yourself.',
      requestedSchema: {
        type: 'object',
        required: ['name'],
        properties: { name: { type: 'string', maxLength: 100 }, colour: { type: 'string', default: 'blue' } },
      },
    })
  })

  it.each(['decline', 'cancel'] as const)('accepts that the user chooses to %s', async (action) => {
    const { result } = await call('elicitation', [{ action }])
    expect(result.isError).toBeFalsy()
    expect(result.content).toEqual([{ type: 'text', text: 'You chose not to answer.' }])
  })

  it('refuses an answer that does not fit the form', async () => {
    const { result } = await call('elicitation', [{ action: 'accept', content: { name: '', colour: 'green' } }])
    expect(result.isError).toBe(true)
    expect(result.content[0]).toHaveProperty('text', expect.stringContaining('does not fit the form'))
  })

  it('asks a second question and remembers the first answer', async () => {
    const { questions, result, phases } = await call('elicitation_steps', [
      { action: 'accept', content: { guests: 4, day: '2030-02-28' } },
      { action: 'accept', content: { confirmed: true } },
    ])
    expect(questions.map(({ message }) => message)).toEqual([
      'For how many, and when?',
      'Shall I reserve a table for 4 on 2030-02-28?',
    ])
    expect(result.content).toEqual([{ type: 'text', text: 'Reserved: a table for 4 on 2030-02-28.' }])
    // Modern: each question ends the call, and the client calls anew. Legacy: the server asks during the one call.
    const rounds = ['started', 'input-required', 'started', 'input-required', 'started', 'finished']
    expect(phases).toEqual(era === 'modern' ? rounds : ['started', 'finished'])
  })

  it('says so when the client offers no forms', async () => {
    const { url } = await runDemo()
    const client = await connectDemo(era, url)
    const { isError, content } = await client.callTool('elicitation')
    expect(isError).toBe(true)
    expect(content[0]).toHaveProperty('text', expect.stringContaining('does not offer form elicitation'))
  })
})
