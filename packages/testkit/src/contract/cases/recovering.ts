import { equal, includes, rejects } from '../expect.js'
import { calls, hasSessions, nextEvent, type Promises, requests, textOf } from './reading.js'

const texts = Array.from({ length: 10 }, (_, index) => `call ${index}`)

export const recovering = {
  async 'ten calls on a lost session get ten results, one new session, and no tool twice'(context) {
    const { connect, control, toolName } = context
    const client = await connect()
    for (const [index, answer] of (['404', '400'] as const).entries()) {
      await control.act({ do: 'forget-sessions', answer })
      const results = await Promise.all(texts.map((text) => client.callTool(toolName('echo'), { text })))
      equal(results.map(textOf), texts, `${answer}: results`)
      equal((await calls(control, 'echo')).length, (index + 1) * texts.length, `${answer}: calls that ran`)
      const handshakes = (await requests(control, 'initialize')).length
      equal(handshakes, hasSessions(context) ? index + 2 : 0, `${answer}: sessions`)
    }
  },

  async 'the state and an event tell of a session that was renewed'(context) {
    const { connect, control, toolName } = context
    const client = await connect()
    const heard: string[] = []
    client.listen({ state: true }, (event) => event.type === 'state' && heard.push(event.state.status))
    const renewed = nextEvent(client, { state: true }, 'session-renewed')
    await control.act({ do: 'forget-sessions', answer: '404' })
    equal(textOf(await client.callTool(toolName('echo'), { text: 'again' })), 'again', 'the next call')
    equal(heard, hasSessions(context) ? ['recovering', 'ready'] : [], 'states')
    if (hasSessions(context)) await renewed
    equal(client.state.status, 'ready', 'status')
  },

  async 'a bare error instead of a reply is told at once, and the next call has a new session'(context) {
    const { connect, control, api, toolName } = context
    const client = await connect()
    // So that the call itself is what meets the error.
    await client.listTools()
    await control.act({ do: 'forget-sessions', answer: 'bare' })
    if (hasSessions(context)) {
      const error = await rejects(client.callTool(toolName('echo')), api.InvalidResponseError, 'the call')
      includes(error.data, { method: 'tools/call', tool: toolName('echo') }, 'its data')
      equal((await requests(control, 'tools/call')).length, 1, 'how often it was sent')
    }
    equal(textOf(await client.callTool(toolName('echo'), { text: 'next' })), 'next', 'the next call')
    equal((await calls(control, 'echo')).length, 1, 'calls that ran')
  },

  async 'with reinitialize: false a lost session is told'(context) {
    const { connect, control, api, toolName } = context
    const client = await connect({ reinitialize: false })
    await control.act({ do: 'forget-sessions', answer: '404' })
    const call = client.callTool(toolName('echo'), { text: 'lost?' })
    if (hasSessions(context)) {
      const error = await rejects(call, api.HttpError, 'the call')
      includes(error.data, { status: 404, outcome: 'not-run', tool: toolName('echo') }, 'its data')
    } else equal(textOf(await call), 'lost?', 'the call')
    const initialized = (await requests(control, 'initialize')).length
    equal(initialized, hasSessions(context) ? 1 : 0, 'handshakes')
  },
} satisfies Promises
