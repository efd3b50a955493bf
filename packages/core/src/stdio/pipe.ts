import { defaults } from '../config.js'
import type { McpError } from '../errors.js'
import type { Finding, JsonObject } from '../protocol.js'
import type { Endpoint } from '../transport/endpoint.js'
import type { JsonRpcMessage } from '../transport/json-rpc.js'
import type { LocalServer } from './local-server.js'
import { openStdio } from './stdio-transport.js'

/** A local server without a client: for who passes its messages on, as a gateway does. */
export interface LocalPipe {
  /**
   * Sends one JSON-RPC message; resolves when the server has room for more.
   *
   * @throws {DisconnectedError} `ERR_MCP_DISCONNECTED` when the server has ended.
   */
  send(message: JsonObject): Promise<void>
  /** Resolves when the server has ended, by itself or by {@link LocalPipe.close}, with how. */
  readonly ended: Promise<McpError>
  /** Ends it; resolves when nothing of it is left. */
  close(): Promise<void>
}

export interface LocalPipeListener {
  /**
   * Takes each JSON-RPC message; what the server writes to its standard error is a `notifications/message` among them,
   * and a reply that was too large, or no JSON, an error reply.
   */
  onMessage(message: JsonObject): void
  onFinding?(finding: Finding): void
}

const internalError = -32603

export async function startPipe(
  server: LocalServer,
  { onMessage, onFinding }: LocalPipeListener,
  clock: Pick<Endpoint, 'now' | 'setTimer'>,
): Promise<LocalPipe> {
  const { maxResponseBytes = defaults.maxResponseBytes } = server
  const { ended, post, close } = await openStdio(
    server,
    { ...clock, maxResponseBytes, wire: () => undefined },
    { ...(onFinding && { report: onFinding }) },
    {
      onMessage: (message) => onMessage(message as JsonObject),
      onUnreadable(error, id) {
        if (id !== undefined)
          onMessage({ jsonrpc: '2.0', id, error: { code: internalError, message: error.message } } as JsonObject)
      },
    },
  )
  const never = new AbortController().signal
  return {
    async send(message) {
      await post(message as unknown as JsonRpcMessage, { headers: undefined, signal: never })
    },
    ended: ended.then((error) => error as McpError),
    close: async () => close?.(),
  }
}
