import { equal } from '../expect.js'
import { type Promises, requests } from './reading.js'

export const pinging = {
  async 'a ping is answered'({ connect, control, serverEra }) {
    const client = await connect()
    await client.request('ping', {})
    // The later revision has none: something else shows there that the server is alive.
    equal((await requests(control, 'ping')).length, serverEra === 'legacy' ? 1 : 0, 'pings')
  },
} satisfies Promises
