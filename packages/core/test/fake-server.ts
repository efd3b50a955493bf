import type { ConnectionEvent, ConnectionState, EventFilter, McpConnection, RequestOptions } from '../src/connection.js'
import { closedError } from '../src/errors.js'
import type { JsonObject, Tool } from '../src/protocol.js'

/** A server behind the port, with no wire between: what it lists, and what it was asked. */
export interface FakeServer {
  readonly connection: McpConnection
  readonly calls: { name: string; args: JsonObject | undefined; options: RequestOptions | undefined }[]
  /** How many times `close()` was called. */
  readonly closings: number
  readonly listenerCount: number
  /** Answers `tools/list` from now on. */
  list: () => Tool[] | Promise<Tool[]>
  setState(state: ConnectionState): void
  emit(event: ConnectionEvent): void
}

export const toolNamed = (name: string, more: Partial<Tool> = {}): Tool => ({
  name,
  inputSchema: { type: 'object' },
  ...more,
})

export function createFakeServer(...tools: (string | Tool)[]): FakeServer {
  const listeners = new Set<{ filter: EventFilter; listener: (event: ConnectionEvent) => void }>()
  const calls: FakeServer['calls'] = []
  let state: ConnectionState = { status: 'ready' }
  let closings = 0

  const server: FakeServer = {
    list: () => tools.map((tool) => (typeof tool === 'string' ? toolNamed(tool) : tool)),
    calls,
    get closings() {
      return closings
    },
    get listenerCount() {
      return listeners.size
    },
    setState(next) {
      state = next
      server.emit({ type: 'state', state })
    },
    emit(event) {
      for (const { listener } of [...listeners]) listener(event)
    },
    connection: {
      get state() {
        return state
      },
      async request(method, params, options) {
        if (state.status === 'closed') throw closedError('fake', method, params)
        if (method === 'tools/list') return { tools: await server.list() } as never
        const { name, arguments: args } = params as { name: string; arguments?: JsonObject }
        calls.push({ name, args, options })
        return { content: [{ type: 'text', text: `${name} ran` }], findings: [] } as never
      },
      listen(filter, listener) {
        const entry = { filter, listener }
        listeners.add(entry)
        return () => void listeners.delete(entry)
      },
      authorize: async () => {},
      async close() {
        closings++
        if (state.status !== 'closed') server.setState({ status: 'closed' })
      },
    },
  }
  return server
}

/** A promise and what settles it. */
export function deferred<Value = void>() {
  let resolve!: (value: Value) => void
  let reject!: (reason: unknown) => void
  const promise = new Promise<Value>((resolved, rejected) => {
    resolve = resolved
    reject = rejected
  })
  return { promise, resolve, reject }
}

/** What a promise rejects with. */
export async function rejection<Failure = Error>(promise: Promise<unknown>): Promise<Failure> {
  try {
    await promise
  } catch (error) {
    return error as Failure
  }
  throw new Error('it did not reject')
}
