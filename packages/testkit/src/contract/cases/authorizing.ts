import type { JsonObject } from '@x/core'
import { equal, includes } from '../expect.js'
import { credentials, metaNoteKey, noteHeader } from '../fixtures.js'
import { clientHead, type Promises, pluck, requests } from './reading.js'

/** Through a gateway these go to the gateway: what it sends on, each case is held to. */
export const authorizing = {
  async 'credentials, headers and _meta go along with every request'({ connect, control, toolName }) {
    const options = { headers: { [noteHeader]: 'from config' }, meta: { [metaNoteKey]: 'of all' } }
    const client = await connect({ ...options, auth: { type: 'bearer', token: credentials.bearer } })
    await client.callTool(toolName('echo'), { text: '' })
    await client.callTool(toolName('echo'), { text: '' }, { meta: { [metaNoteKey]: 'of one' } })
    await client.close()
    for (const entry of await requests(control)) {
      const expected = { credential: 'bearer', headerNote: 'from config' }
      includes(clientHead(entry), expected, `${entry.httpMethod} ${entry.method}`)
    }
    equal(pluck(await requests(control, 'tools/call'), 'metaNote'), ['of all', 'of one'], '_meta')
  },

  async 'an API key goes along in its own header'({ connect, control, toolName }) {
    const auth = { type: 'api-key', header: credentials.apiKeyHeader, value: credentials.apiKey } as const
    await (await connect({ auth })).callTool(toolName('echo'), { text: '' })
    for (const entry of await requests(control)) equal(clientHead(entry).credential, 'api-key', entry.method ?? '')
  },

  async 'the token hook runs where the app is'({ connect, control, url, toolName }) {
    const asked: JsonObject[] = []
    const token = async (context: { server: string; reason: 'first' | 'unauthorized' }) => {
      asked.push(context)
      return credentials.bearer
    }
    await (await connect({ auth: { type: 'bearer' } }, { token })).callTool(toolName('echo'), { text: '' })
    equal(asked[0], { server: url, reason: 'first' }, 'what it was asked')
    const [call] = await requests(control, 'tools/call')
    equal(call && clientHead(call).credential, 'bearer', 'credential')
  },
} satisfies Promises
