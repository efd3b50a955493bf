import type { ConnectionEvent, LogLevel } from '@x/core'
import { equal, includes, ok } from '../expect.js'
import { logger, logLevels, textResource } from '../fixtures.js'
import { listening, nextEvent, type Promises, pluck } from './reading.js'

const announces = { tools: { listChanged: true }, resources: { listChanged: true }, prompts: { listChanged: true } }

export const notifications = {
  async 'a list that changed is told, and then the new one is there'(context) {
    const { connect, control } = context
    const client = await connect()
    includes(client.state.server?.capabilities, announces, 'capabilities')
    await Promise.all([client.listTools(), client.listResources(), client.listPrompts()])
    const changed = (list: string) =>
      new Promise<void>((resolve) => {
        client.listen({ lists: true }, (event) => {
          if (event.type === 'list-changed' && event.list === list) resolve()
        })
      })
    const told = { tools: changed('tools'), resources: changed('resources'), prompts: changed('prompts') }
    await listening(context)
    for (const list of ['tools', 'resources', 'prompts'] as const) {
      await control.act({ do: 'change-list', list })
      await told[list]
    }
    equal((await client.listTools()).at(-1)?.name, 'added', 'the last tool')
    equal((await client.listResources()).at(-1)?.uri, 'contract://added', 'the last resource')
    equal((await client.listPrompts()).at(-1)?.name, 'added', 'the last prompt')
  },

  async 'there is one stream, however many listen'(context) {
    const { connect, control } = context
    const client = await connect()
    includes(client.state.server?.capabilities, announces, 'capabilities')
    const heard = [0, 1, 2].map(() => nextEvent(client, { lists: true }, 'list-changed'))
    await listening(context)
    await control.act({ do: 'change-list', list: 'prompts' })
    equal(pluck(await Promise.all(heard), 'list'), ['prompts', 'prompts', 'prompts'], 'events')
    const streams = (await control.log()).filter(({ kind }) => kind === 'listening')
    equal(streams.length, 1, 'streams')
  },

  async 'a stream that broke is opened anew'(context) {
    const { connect, control } = context
    const client = await connect()
    includes(client.state.server?.capabilities, announces, 'capabilities')
    const changed = nextEvent(client, { lists: true }, 'list-changed')
    await listening(context)
    await control.act({ do: 'end-streams', how: 'cut' })
    await control.waitFor({ kind: 'listening' }, 2)
    await control.act({ do: 'change-list', list: 'tools' })
    equal((await changed).list, 'tools', 'the list')
  },

  async 'what is listened to survives a lost session'(context) {
    const { connect, control, serverEra } = context
    const client = await connect()
    includes(client.state.server?.capabilities, announces, 'capabilities')
    const { uri } = textResource
    client.listen({ log: 'error' }, () => {})
    const changed = nextEvent(client, { lists: true }, 'list-changed')
    const updated = nextEvent(client, { resources: [uri] }, 'resource-updated')
    const subscribed = { kind: 'request', method: 'resources/subscribe', uri } as const
    const levelled = { kind: 'request', method: 'logging/setLevel', logLevel: 'error' } as const
    const restored = (times: number) =>
      Promise.all([control.waitFor(subscribed, times), control.waitFor(levelled, times)])
    if (serverEra === 'legacy') await restored(1)
    await listening(context, uri)
    const before = (await control.log()).filter(({ kind }) => kind === 'listening').length
    // Without sessions there is only the stream to lose.
    if (serverEra === 'legacy') await control.act({ do: 'forget-sessions', answer: '404' })
    else await control.act({ do: 'end-streams', how: 'cut' })
    await control.waitFor({ kind: 'listening' }, before + 1)
    if (serverEra === 'legacy') await restored(2)
    await control.act({ do: 'change-list', list: 'tools' })
    await control.act({ do: 'update-resource', uri })
    equal([(await changed).list, (await updated).uri], ['tools', uri], 'events')
  },

  async 'log messages come from the level that is asked for on'({ connect, control, serverEra, toolName }) {
    const client = await connect()
    ok(client.state.server?.capabilities.logging, 'the server logs nothing')
    const heard: Extract<ConnectionEvent, { type: 'log' }>[] = []
    client.listen({ log: 'error' }, (event) => event.type === 'log' && heard.push(event))
    if (serverEra === 'legacy') await control.waitFor({ method: 'logging/setLevel', logLevel: 'error' })
    await client.callTool(toolName('log'))
    const wanted = logLevels.slice(logLevels.indexOf('error'))
    const expected = wanted.map((level: LogLevel) => ({ type: 'log', level, logger, data: { level, said: true } }))
    equal(heard, expected, 'messages')
    const asked = (await control.log()).filter(({ logLevel }) => logLevel === 'error')
    ok(asked.length > 0, 'the server was not told of the level')
  },

  async 'who wants no log messages gets none'({ connect, toolName }) {
    const client = await connect()
    ok(client.state.server?.capabilities.logging, 'the server logs nothing')
    const heard: string[] = []
    client.listen({ lists: true, state: true }, ({ type }) => heard.push(type))
    await client.callTool(toolName('log'))
    equal(heard, [], 'events')
  },

  async 'listen tells of the resources that it names'(context) {
    const { connect, control } = context
    const client = await connect()
    includes(client.state.server?.capabilities, { resources: { subscribe: true } }, 'capabilities')
    const { uri } = textResource
    const updated = nextEvent(client, { resources: [uri] }, 'resource-updated')
    if (context.serverEra === 'legacy') await control.waitFor({ method: 'resources/subscribe', uri })
    await listening(context, uri)
    await control.act({ do: 'update-resource', uri })
    equal((await updated).uri, uri, 'the resource')
  },
} satisfies Promises
