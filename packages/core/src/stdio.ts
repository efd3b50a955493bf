/**
 * Servers on this machine, over their standard input and output. For Node; the only entry of this package that needs it.
 */

import { createMemoryTokenStore } from './authorization/token-store.js'
import { createClient, type McpClient } from './client.js'
import { type ConnectOptions, resolveLocalConfig } from './config.js'
import { globalRuntime, loadSession } from './in-process-port.js'
import { checkLocalServer, type LocalServer, localName } from './stdio/local-server.js'
import type { LocalPipe, LocalPipeListener } from './stdio/pipe.js'

export type { LocalServer } from './stdio/local-server.js'
export type { LocalPipe, LocalPipeListener } from './stdio/pipe.js'

/**
 * Starts a server on this machine and connects to it. The client is as any other; `connectAll` takes it among servers
 * that are reached by HTTP.
 *
 * `close()` closes the server's input, and ends it by `SIGTERM` and then `SIGKILL` where it doesn't end within 2 s each;
 * it resolves when nothing of it is left. When this process ends, so do its servers.
 *
 * What the server writes to its standard error comes as `log` events of level `info` with the server's name as `logger`.
 *
 * @param server - The command, and what a {@link ServerConfig} has that does not concern HTTP: `auth`, `headers`,
 *   `transport` and `credentials` are refused.
 * @param options - Hooks of the app, and a signal that closes the connection.
 * @throws {ConfigError} `ERR_MCP_CONFIG`
 * @throws {ConnectError} `ERR_MCP_CONNECT` when the command can't be started (`data.errno`), or ends at once (`data.exit`);
 *   `data.command` is the command without its arguments.
 * @throws {TimeoutError} `ERR_MCP_TIMEOUT` when it does not answer within `connectTimeoutMs`; `data.attempts` has what it
 *   wrote instead.
 * @throws {JsonRpcError} `ERR_MCP_JSONRPC`, {@link ProtocolVersionError} `ERR_MCP_PROTOCOL_VERSION`,
 *   {@link InvalidResponseError} `ERR_MCP_INVALID_RESPONSE`: it refuses the handshake.
 * @throws The caller's `signal.reason` when aborted.
 * @see {@link https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#stdio}
 */
export async function connect(server: LocalServer, options: ConnectOptions = {}): Promise<McpClient> {
  checkLocalServer(server)
  const { command, args, env, cwd, name, restart, ...settings } = server
  const config = resolveLocalConfig(settings, localName(server))
  const runtime = { ...globalRuntime, tokenStore: createMemoryTokenStore() }
  const { openSession } = await loadSession()
  // Not before: it brings the protocol engine along.
  const { createChildReach } = await import('./stdio/reach-child.js')
  // A local server has no credentials of ours to ask for.
  const { token: _, authorize: __, assertion: ___, ...hooks } = options
  const reach = createChildReach(server, runtime)
  return createClient(await openSession(config, hooks, runtime, undefined, reach))
}

/**
 * Starts a server on this machine for somebody else to speak to: JSON-RPC messages pass as they are. It is started and ended as
 * by {@link connect}; `restart` and all that a client does are none of its concern.
 *
 * @param listener - Takes what the server says.
 * @throws {ConfigError} `ERR_MCP_CONFIG`, {@link ConnectError} `ERR_MCP_CONNECT` when the command can't be started.
 */
export async function openPipe(server: LocalServer, listener: LocalPipeListener): Promise<LocalPipe> {
  checkLocalServer(server)
  const { startPipe } = await import('./stdio/pipe.js')
  return startPipe(server, listener, globalRuntime)
}
