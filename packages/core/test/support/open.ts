import { createMemoryTokenStore } from '../../src/authorization/token-store.js'
import { type ConnectOptions, type Runtime, resolveConfig, type ServerConfig } from '../../src/config.js'
import { openSession } from '../../src/session/session.js'
import { type ScriptedFetch, type Sent, scriptedFetch } from './scripted-fetch.js'
import { createTimers } from './timers.js'

export const url = 'https://server.example/mcp'

/** Opens a session with a server that is a function; time stands still. */
export function open(
  answer: (sent: Sent) => Response | Promise<Response>,
  {
    config = {},
    hooks = {},
    wrap = (fetch) => fetch,
    runtime: more = {},
  }: {
    config?: Partial<ServerConfig>
    hooks?: ConnectOptions
    /** What stands between the client and the server. */
    wrap?: (fetch: Runtime['fetch']) => Runtime['fetch']
    runtime?: Partial<Runtime>
  } = {},
) {
  const timers = createTimers()
  const server: ScriptedFetch = scriptedFetch(answer)
  const runtime = {
    fetch: wrap(server.fetch),
    tokenStore: createMemoryTokenStore(),
    now: timers.now,
    setTimer: timers.setTimer,
    ...more,
  }
  const opening = openSession(resolveConfig({ url, ...config }), hooks, runtime)
  return { opening, timers, sent: server.sent }
}
