import { onAbort, untilAborted } from '../abort.js'
import { createClient, type McpClient } from '../client.js'
import type { ConnectionEvent, ConnectionState, EventFilter, Unsubscribe } from '../connection.js'
import { closedError, toErrorData } from '../errors.js'

/**
 * A client of a connection that is still being opened: it can be handed out at once, and its requests wait. One that
 * can't be opened is closed, with the reason in its state.
 *
 * @param open - Called at once; its signal fires when the client is closed, or `signal` does.
 */
export function createLazyClient(
  name: string,
  open: (signal: AbortSignal) => Promise<McpClient>,
  signal: AbortSignal | undefined,
): McpClient {
  const abort = new AbortController()
  const stopWaiting = onAbort(signal, () => abort.abort(signal?.reason))
  let client: McpClient | undefined
  let state: ConnectionState = { status: 'connecting' }
  const waiting = new Set<{ filter: EventFilter; listener: (event: ConnectionEvent) => void; stop?: Unsubscribe }>()

  const tell = (next: ConnectionState) => {
    for (const { filter, listener } of [...waiting]) if (filter.state) listener({ type: 'state', state: next })
  }
  const opened = open(abort.signal)
    .then(async (arrived) => {
      if (abort.signal.aborted) {
        await arrived.close()
        throw abort.signal.reason
      }
      client = arrived
      for (const entry of waiting) entry.stop = arrived.listen(entry.filter, entry.listener)
      tell(arrived.state)
      return arrived
    })
    .catch((error) => {
      state = { status: 'closed', error: toErrorData(error) }
      tell(state)
      throw error
    })
  opened.catch(() => {}).finally(stopWaiting)

  return createClient({
    get state() {
      return client?.state ?? state
    },
    async request(method, params, options) {
      const arrived = client ?? (await untilAborted(options?.signal, opened))
      return arrived.request(method, params, options)
    },
    listen(filter, listener) {
      if (client) return client.listen(filter, listener)
      const entry: { filter: EventFilter; listener: (event: ConnectionEvent) => void; stop?: Unsubscribe } = {
        filter,
        listener,
      }
      waiting.add(entry)
      return () => {
        waiting.delete(entry)
        entry.stop?.()
      }
    },
    async authorize(options) {
      const arrived = client ?? (await untilAborted(options?.signal, opened))
      await arrived.authorize(options)
    },
    async close() {
      abort.abort(closedError(name, 'connect', {}))
      await opened.then(
        (arrived) => arrived.close(),
        () => {},
      )
      state = { ...state, status: 'closed' }
    },
  })
}
