import type { StandardSchemaV1 } from '@modelcontextprotocol/client'
import { onAbort, untilAborted } from '../abort.js'
import { createAuthorization } from '../authorization/static.js'
import type { ConnectOptions, ResolvedConfig, Runtime } from '../config.js'
import type { ConnectionState, McpConnection, RequestOptions, Status } from '../connection.js'
import { ConfigError, closedError, McpError, reportError, toErrorData, withDetails } from '../errors.js'
import type { Finding, JsonObject, Method, Methods, Progress } from '../protocol.js'
import type { Endpoint } from '../transport/endpoint.js'
import { createDeadline, type Deadline } from './deadline.js'
import { type Established, establish, noTimeoutMs } from './establish.js'
import { createEvents } from './events.js'
import { createRequests } from './methods.js'
import type { Attempts } from './negotiate.js'
import { toEvent } from './notifications.js'
import { unwrapResult } from './payload.js'
import { createStopwatch } from './stopwatch.js'
import { createToolMemory } from './tool-memory.js'

/** Results are looked at by this package; the engine hands them through. */
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
  const stopwatch = createStopwatch(runtime.now, runtime.setTimer)
  const authorization = createAuthorization(config, {
    // It may ask a person: its time counts against no deadline.
    ...(hooks.token && { token: (context) => stopwatch.uncounted(async () => hooks.token!(context)) }),
  })
  const events = createEvents()
  const endpoint: Endpoint = {
    url: config.url,
    fetch: runtime.fetch,
    now: runtime.now,
    setTimer: runtime.setTimer,
    credentials: config.credentials ?? 'omit',
    maxResponseBytes: config.maxResponseBytes,
    headers: async () => ({ ...config.headers, ...(await authorization.headers()) }),
    ...(authorization.renew && { renew: authorization.renew }),
    wire: events.wire,
  }
  if (hooks.onEvent) events.listen({ lists: true, log: 'debug', authorization: true, state: true }, hooks.onEvent)
  const report = (finding: Finding) => events.emit({ type: 'finding', finding })

  let state: ConnectionState = { status: 'connecting' }
  const setState = (status: Status, more: Omit<ConnectionState, 'status'> = {}) => {
    state = { ...(state.server && { server: state.server }), ...more, status }
    events.emit({ type: 'state', state })
  }

  const { client, transport, server: description } = await begin()

  async function begin(): Promise<Established> {
    const attempts: Attempts = []
    let deadline: Deadline | undefined
    try {
      hooks.signal?.throwIfAborted()
      await untilAborted(hooks.signal, authorization.headers())
      deadline = createDeadline({
        signal: hooks.signal,
        timeoutMs: config.connectTimeoutMs,
        ...stopwatch,
        what: `Connecting to ${server}`,
        advice: 'check that the server runs, or raise connectTimeoutMs',
      })
      return await establish({ endpoint, config, attempts, deadline, report })
    } catch (error) {
      // What was found out before the time was up says more.
      let failure = deadline?.signal.aborted && error === deadline.signal.reason ? deadline.reason : error
      // The caller's own reason stays as it is.
      if (hooks.signal?.aborted) failure = hooks.signal.reason
      else if (McpError.is(failure)) withDetails(failure, { server, ...(attempts.length > 0 && { attempts }) })
      setState('closed', { error: toErrorData(failure) })
      throw failure
    } finally {
      deadline?.end()
    }
  }

  const closing = new AbortController()
  const toolMemory = createToolMemory(description.era === 'modern')
  const requests = createRequests({
    server,
    isOpen: () => state.status !== 'closed',
    callTimeoutMs: config.callTimeoutMs,
    ...stopwatch,
    closing: closing.signal,
    trusted: config.trusted === true,
    toolMemory,
    report,
    send: async (method, params, { signal, onProgress, meta, headers }) => {
      const result = await client.request(
        { method, params: withMeta(params, { ...config.meta, ...meta }) },
        anyResult,
        {
          signal,
          timeout: noTimeoutMs,
          ...(headers && { headers }),
          ...(onProgress && { onprogress: (progress) => guarded(() => onProgress(progress as Progress)) }),
        },
      )
      return unwrapResult(result)
    },
  })
  client.fallbackNotificationHandler = async (notification) => {
    const event = toEvent(notification)
    if (event) events.emit(event)
  }

  let stopWaiting = () => {}
  let closed: Promise<void> | undefined
  async function close(error?: unknown): Promise<void> {
    if (state.status !== 'closed') {
      stopWaiting()
      setState('closed', error === undefined ? {} : { error: toErrorData(error) })
      closing.abort()
      closed = client.close()
    }
    await closed
  }
  // Before the state is known, so that who is aborted by now was never ready.
  stopWaiting = onAbort(hooks.signal, () => void close(hooks.signal?.reason))
  if (state.status !== 'closed') setState('ready', { server: description })
  // A listener may have aborted.
  hooks.signal?.throwIfAborted()
  transport.onLost((error) => void close(withDetails(error, { server })))
  events.onInterest((interested) => transport.listenToServer(interested && state.status !== 'closed'))
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
