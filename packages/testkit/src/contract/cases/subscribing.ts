import { equal, includes } from '../expect.js'
import { resourceUris, textResource } from '../fixtures.js'
import { hasOneStream, listening, nextEvent, type Promises } from './reading.js'

const { uri } = textResource
const otherUri = resourceUris[2]!

export const subscribing = {
  async 'who subscribed to a resource is told of its updates, and of no other’s'(context) {
    const { connect, control } = context
    const client = await connect()
    includes(client.state.server?.capabilities, { resources: { subscribe: true } }, 'capabilities')
    let updates = 0
    await client.subscribeResource(otherUri, () => updates++)
    let tell = () => {}
    const told = new Promise<void>((resolve) => {
      tell = resolve
    })
    await client.subscribeResource(uri, tell)
    await listening(context, context.serverEra === 'modern' ? [uri, otherUri].sort().join(' ') : undefined)
    await control.act({ do: 'update-resource', uri })
    await told
    equal(updates, 0, 'updates of the other')
  },

  async 'after unsubscribing nobody is told'(context) {
    const { connect, control, serverEra } = context
    const client = await connect()
    includes(client.state.server?.capabilities, { resources: { subscribe: true } }, 'capabilities')
    let updates = 0
    const unsubscribe = await client.subscribeResource(uri, () => updates++)
    await listening(context, uri)
    unsubscribe()
    if (serverEra === 'legacy') await control.waitFor({ method: 'resources/unsubscribe', uri })
    // Nobody listens to anything any more, so that stream is closed; the next one shows what is not told by it.
    if (!hasOneStream(context)) await control.waitFor({ kind: 'cut' })
    const changed = nextEvent(client, { lists: true }, 'list-changed')
    await control.waitFor({ kind: 'listening' }, hasOneStream(context) ? 1 : 2)
    await control.act({ do: 'update-resource', uri })
    await control.act({ do: 'change-list', list: 'prompts' })
    await changed
    equal(updates, 0, 'updates')
  },
} satisfies Promises
