import { Client, type StandardSchemaV1 } from '@modelcontextprotocol/client'
import { onAbort, untilAborted } from '../abort.js'
import { createAuthorization } from '../authorization/static.js'
import type { ConnectOptions, ResolvedConfig, Runtime } from '../config.js'
import type { ConnectionState, McpConnection, RequestOptions, Status } from '../connection.js'
import { ConfigError, closedError, McpError, reportError, toErrorData, withDetails } from '../errors.js'
import type { JsonObject, Method, Methods, Progress, ProtocolVersion, ServerInfo } from '../protocol.js'
import type { Endpoint } from '../transport/endpoint.js'
import { createStreamableHttp } from '../transport/streamable-http.js'
import { version } from '../version.js'
import { createDeadline, type Deadline } from './deadline.js'
import { createEvents } from './events.js'
import { explain } from './explain.js'
import { createRequests } from './methods.js'
import { type Attempts, connectFailure, negotiate, type Verdict } from './negotiate.js'

const identity = { clientInfo: { name: '@x/core', version }, capabilities: {} }

/** Timers of the engine that are switched off: the longest that setTimeout takes. The deadlines are ours. */
const noTimeoutMs = 2 ** 31 - 1

/** Results are checked and decoded by this package; the engine hands them through. */
const anyResult: StandardSchemaV1<unknown, JsonObject> = {
  '~standard': { version: 1, vendor: '@x/core', validate: (value) => ({ value: value as JsonObject }) },
}

/**
 * Opens a connection to one server: negotiates the revision, and resolves when calls can be made.
 *
 * @throws {ConfigError} `ERR_MCP_CONFIG`
 * @throws {ConnectError} `ERR_MCP_CONNECT` when no server answers.
 * @throws {CorsError} `ERR_MCP_CORS` when a browser hides its answers.
 * @throws {UnauthorizedError} `ERR_MCP_UNAUTHORIZED`
 * @throws {HttpError} `ERR_MCP_HTTP`, {@link InvalidResponseError} `ERR_MCP_INVALID_RESPONSE`: not an MCP endpoint.
 * @throws {TimeoutError} `ERR_MCP_TIMEOUT` after `connectTimeoutMs`.
 * @throws The caller's `signal.reason` when aborted.
 */
export async function openSession(
  config: ResolvedConfig,
  hooks: ConnectOptions,
  runtime: Runtime,
): Promise<McpConnection> {
  const server = config.name
  const authorization = createAuthorization(config, hooks)
  const events = createEvents()
  const endpoint: Endpoint = {
    url: config.url,
    fetch: runtime.fetch,
    now: runtime.now,
    setTimer: runtime.setTimer,
    credentials: config.credentials ?? 'omit',
    maxResponseBytes: config.maxResponseBytes,
    headers: async () => ({ ...config.headers, ...(await authorization.headers()) }),
    wire: events.wire,
  }
  if (hooks.onEvent) events.listen({ lists: true, log: 'debug', authorization: true, state: true }, hooks.onEvent)

  let state: ConnectionState = { status: 'connecting' }
  const setState = (status: Status, more: Omit<ConnectionState, 'status'> = {}) => {
    state = { ...(state.server && { server: state.server }), ...more, status }
    events.emit({ type: 'state', state })
  }

  const client = new Client(identity.clientInfo, {
    capabilities: identity.capabilities,
    // The engine's default generates code on Node, which a strict runtime forbids, and none of it is used.
    jsonSchemaValidator: {
      getValidator: () => (input) => ({ valid: true, data: input as never, errorMessage: undefined }),
    },
    ...(config.protocolVersion &&
      config.protocolVersion !== 'auto' && { supportedProtocolVersions: [config.protocolVersion] }),
  })
  client.onerror = (error) =>
    events.emit({ type: 'finding', finding: { code: 'protocol', message: error.message.slice(0, 300) } })

  const attempts: Attempts = []
  let deadline: Deadline | undefined
  const transport = createStreamableHttp(endpoint)
  const abandon = () => void transport.close()
  let verdict: Verdict | undefined
  try {
    hooks.signal?.throwIfAborted()
    // The token hook may ask a person: its time counts against no deadline.
    await untilAborted(hooks.signal, authorization.headers())
    deadline = createDeadline({
      signal: hooks.signal,
      timeoutMs: config.connectTimeoutMs,
      setTimer: runtime.setTimer,
      what: `Connecting to ${server}`,
      advice: 'check that the server runs, or raise connectTimeoutMs',
    })
    verdict = await negotiate(endpoint, config, identity, attempts, deadline.signal)
    onAbort(deadline.signal, abandon)
    await client.connect(transport, {
      prior: (verdict.era === 'modern' ? { kind: 'modern', discover: verdict.discover } : { kind: 'legacy' }) as never,
      signal: deadline.signal,
      timeout: noTimeoutMs,
    })
    deadline.signal.throwIfAborted()
  } catch (error) {
    throw await fail(error)
  } finally {
    deadline?.end()
  }

  async function fail(error: unknown): Promise<unknown> {
    let failure = error
    if (deadline?.signal.aborted) failure = deadline.reason
    else if (deadline) {
      const tried = { era: 'modern', ...verdict, attempts } as const
      failure = await connectFailure(explain(error, {}), tried, endpoint, deadline.signal)
    }
    abandon()
    // The caller's own reason stays as it is.
    if (hooks.signal?.aborted) failure = hooks.signal.reason
    else if (McpError.is(failure)) withDetails(failure, { server, ...(attempts.length > 0 && { attempts }) })
    setState('closed', { error: toErrorData(failure) })
    return failure
  }

  const requests = createRequests({
    server,
    isOpen: () => state.status !== 'closed',
    callTimeoutMs: config.callTimeoutMs,
    setTimer: runtime.setTimer,
    report: (finding) => events.emit({ type: 'finding', finding }),
    send: (method, params, { signal, onProgress, meta }) =>
      client.request({ method, params: withMeta(params, { ...config.meta, ...meta }) }, anyResult, {
        signal,
        timeout: noTimeoutMs,
        ...(onProgress && { onprogress: (progress) => guarded(() => onProgress(progress as Progress)) }),
      }),
  })

  let closed: Promise<void> | undefined
  async function close(error?: unknown): Promise<void> {
    if (state.status !== 'closed') {
      stopWaiting()
      setState('closed', error === undefined ? {} : { error: toErrorData(error) })
      closed = client.close()
    }
    await closed
  }
  const stopWaiting = onAbort(hooks.signal, () => void close(hooks.signal?.reason))
  setState('ready', { server: describeServer(client, verdict.era) })
  // A listener may have aborted.
  hooks.signal?.throwIfAborted()
  return {
    get state() {
      return state
    },
    request: <M extends Method>(method: M, params: Methods[M]['params'], options?: RequestOptions) =>
      requests.request(method, params, options),
    listen: events.listen,
    async authorize() {
      if (state.status === 'closed') throw closedError(server, 'authorize', {})
      throw new ConfigError(`${server} is configured without a sign-in; set "auth" to one that has it`, {
        data: { server, key: 'auth' },
      })
    },
    close: () => close(),
  }
}

function describeServer(client: Client, era: ServerInfo['era']): ServerInfo {
  const { name = '', version = '', ...more } = client.getServerVersion() ?? {}
  const instructions = client.getInstructions()
  return {
    ...(more as Partial<ServerInfo>),
    name,
    version,
    era,
    protocolVersion: client.getNegotiatedProtocolVersion() as ProtocolVersion,
    transport: 'streamable-http',
    capabilities: (client.getServerCapabilities() ?? {}) as JsonObject,
    ...(instructions !== undefined && { instructions }),
  }
}

function withMeta(params: object, meta: JsonObject): Record<string, unknown> {
  return Object.keys(meta).length > 0 ? { ...params, _meta: meta } : { ...params }
}

/** Runs the app's function: what it throws is the app's to see, and must not end the call. */
function guarded(run: () => void): void {
  try {
    run()
  } catch (error) {
    reportError(error)
  }
}
