import type { Client } from '@modelcontextprotocol/client'
import { onAbort, untilAborted } from '../abort.js'
import { createAuthorization } from '../authorization/static.js'
import type { ConnectOptions, ResolvedConfig, Runtime } from '../config.js'
import type { ConnectionState, McpConnection, RequestOptions, Status, Unsubscribe } from '../connection.js'
import { ConfigError, closedError, McpError, toErrorData, withDetails } from '../errors.js'
import type { Finding, JsonObject, Method, Methods } from '../protocol.js'
import type { Endpoint } from '../transport/endpoint.js'
import { version } from '../version.js'
import { createDeadline, type Deadline } from './deadline.js'
import { createDialogues } from './dialogues/dialogues.js'
import { establish } from './establish.js'
import { createEvents } from './events.js'
import type { Link, SendOptions } from './link.js'
import { createLinks, isVersionRefused } from './links.js'
import { createMemory } from './memory.js'
import { createRequests } from './methods.js'
import type { Attempts } from './negotiate.js'
import { toEvent } from './notifications.js'
import { createStopwatch } from './stopwatch.js'
import { createQuestions } from './task-questions.js'
import { cancelsTasks, runsTasks, tasksExtension } from './task-support.js'
import { createTasks } from './tasks.js'
import { createToolMemory } from './tool-memory.js'

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

  const dialogues = createDialogues({ server, hooks, stopwatch, report, toolOf: (task) => tasks.toolOf(task) })
  const identity = {
    clientInfo: { name: '@x/core', version },
    capabilities: { ...dialogues.capabilities, extensions: { [tasksExtension]: {} } },
  }
  const memory = createMemory({ store: runtime.memory, endpoint, config, identity })
  const closing = new AbortController()
  const send = (method: string, params: object, options: SendOptions) =>
    links.run(options.signal, (link) => link.request(method, params, options))
  const tasks = createTasks({
    server,
    limits: config.tasks,
    ...stopwatch,
    setRealTimer: runtime.setTimer,
    closing: closing.signal,
    send,
    cancels: () => cancelsTasks(links.current.server),
    questions: createQuestions(dialogues),
  })
  /** Of the engine that speaks now: what an earlier one still has to say is no news. */
  let speaking: unknown
  const connection = await begin(hooks.signal).catch((error) => {
    setState('closed', { error: toErrorData(error) })
    throw error
  })

  /** One handshake, within its own time. */
  async function begin(signal: AbortSignal | undefined): Promise<Link> {
    const attempts: Attempts = []
    let deadline: Deadline | undefined
    try {
      signal?.throwIfAborted()
      await untilAborted(signal, authorization.headers())
      deadline = createDeadline({
        signal,
        timeoutMs: config.connectTimeoutMs,
        ...stopwatch,
        what: `Connecting to ${server}`,
        advice: 'check that the server runs, or raise connectTimeoutMs',
      })
      return await establish({
        endpoint,
        config,
        identity,
        memory,
        attempts,
        deadline,
        report,
        prepare,
        onStrayProgress: tasks.onProgress,
      })
    } catch (error) {
      // What was found out before the time was up says more.
      const failure = deadline?.signal.aborted && error === deadline.signal.reason ? deadline.reason : error
      // The caller's own reason stays as it is.
      if (signal?.aborted) throw signal.reason
      if (McpError.is(failure)) withDetails(failure, { server, ...(attempts.length > 0 && { attempts }) })
      throw failure
    } finally {
      deadline?.end()
    }
  }

  function prepare(client: Client): void {
    speaking = client
    dialogues.prepare(client)
    client.fallbackNotificationHandler = async (notification) => {
      if (notification.method === 'notifications/tasks/status')
        tasks.onStatus((notification.params ?? {}) as JsonObject)
      const event = client === speaking ? toEvent(notification) : undefined
      if (event) events.emit(event)
    }
  }

  const links = createLinks(connection, {
    server,
    reinitialize: config.reinitialize !== false,
    now: runtime.now,
    setTimer: runtime.setTimer,
    open: begin,
    onLost(error) {
      if (isVersionRefused(error)) memory.forget()
      setState('recovering', { error: toErrorData(McpError.is(error) ? withDetails(error, { server }) : error) })
    },
    onRenewed(link) {
      toolMemory.setEra(link.server.era, runsTasks(link.server))
      setState('ready', { server: link.server })
      events.emit({ type: 'session-renewed' })
      link.transport.listenToServer(interested)
    },
  })
  let interested = false
  const toolMemory = createToolMemory(connection.server.era, runsTasks(connection.server))
  const requests = createRequests({
    server,
    isOpen: () => state.status !== 'closed',
    callTimeoutMs: config.callTimeoutMs,
    ...stopwatch,
    closing: closing.signal,
    trusted: config.trusted === true,
    toolMemory,
    tasks: { run: tasks.run, optional: config.tasks.optional },
    report,
    dialogues,
    capabilities: () => links.current.server.capabilities,
    send,
  })

  let stopWaiting = () => {}
  let stopWatching: (Unsubscribe | undefined)[] = []
  let closed: Promise<void> | undefined
  async function close(error?: unknown): Promise<void> {
    if (state.status !== 'closed') {
      stopWaiting()
      for (const stop of stopWatching) stop?.()
      setState('closed', error === undefined ? {} : { error: toErrorData(error) })
      closing.abort()
      const cancelling = tasks.cancelling()
      closed = cancelling ? cancelling.then(() => links.close()) : links.close()
    }
    await closed
  }
  // Before the state is known, so that who is aborted by now was never ready.
  stopWaiting = onAbort(hooks.signal, () => void close(hooks.signal?.reason))
  if (state.status === 'connecting') setState('ready', { server: connection.server })
  // A listener may have aborted.
  hooks.signal?.throwIfAborted()
  events.onInterest((wanted) => {
    interested = wanted || dialogues.invited
    links.current.transport.listenToServer(interested && state.status !== 'closed')
    links.want(interested)
  })
  stopWatching = [runtime.wake?.(() => links.wake()), runtime.leave?.(() => links.current.transport.leave())]
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
