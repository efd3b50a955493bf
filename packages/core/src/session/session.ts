import type { Client } from '@modelcontextprotocol/client'
import { onAbort, untilAborted } from '../abort.js'
import { createAuthorization } from '../authorization/authorization.js'
import type { ConnectOptions, ResolvedConfig, Runtime } from '../config.js'
import type { ConnectionState, McpConnection, RequestOptions, Status, Unsubscribe } from '../connection.js'
import { ConfigError, closedError, McpError, toErrorData, withDetails } from '../errors.js'
import type { Finding, JsonObject, Method, Methods } from '../protocol.js'
import type { Endpoint } from '../transport/endpoint.js'
import { version } from '../version.js'
import { createDeadline, type Deadline } from './deadline.js'
import { createDialogues } from './dialogues/dialogues.js'
import { establish, type Reach } from './establish.js'
import { createEvents } from './events.js'
import { createHearing, type Hearing } from './hearing.js'
import type { Link, SendOptions } from './link.js'
import { createLinks, isVersionRefused } from './links.js'
import { createMemory } from './memory.js'
import { createRequests } from './methods.js'
import type { Attempts } from './negotiate.js'
import { createNoLink } from './no-link.js'
import { toEvent } from './notifications.js'
import { createStopwatch } from './stopwatch.js'
import { createQuestions } from './task-questions.js'
import { cancelsTasks, runsTasks, tasksExtension } from './task-support.js'
import { createTasks } from './tasks.js'
import { createToolMemory } from './tool-memory.js'

/**
 * Opens a connection to one server: negotiates the revision, and resolves when calls can be made.
 *
 * @param signOuts - What is told of each server that was signed out of; of all, without a name.
 * @param reach - How the server is reached. Default: over HTTP.
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
  signOuts = new Set<(server: string | undefined) => void>(),
  reach: Reach = { establish },
): Promise<McpConnection> {
  const server = config.name
  const stopwatch = createStopwatch(runtime.now, runtime.setTimer)
  const events = createEvents()
  const report = (finding: Finding) => events.emit({ type: 'finding', finding })
  const closing = new AbortController()
  /** Set while nothing can be done before somebody signs in. */
  let signedOut: McpError | undefined
  let dropLink = () => {}
  const authorization = createAuthorization(
    config,
    {
      ...hooks,
      // It may ask a person: its time counts against no deadline.
      ...(hooks.token && { token: (context) => stopwatch.uncounted(async () => hooks.token!(context)) }),
      ...(hooks.assertion && { assertion: (request) => stopwatch.uncounted(async () => hooks.assertion!(request)) }),
    },
    {
      fetch: runtime.fetch,
      store: runtime.tokenStore,
      now: runtime.now,
      setTimer: runtime.setTimer,
      uncounted: stopwatch.uncounted,
      closing: closing.signal,
      emit: events.emit,
      report,
      onSignInNeeded(error) {
        signedOut = error
        dropLink()
        if (state.status !== 'closed') setState('unauthorized', { error: toErrorData(error) })
      },
    },
  )
  /** What waits to be tried again, and is tried at once on waking. */
  const waiting = new Set<() => void>()
  const endpoint: Endpoint = {
    url: config.url,
    fetch: runtime.fetch,
    now: runtime.now,
    setTimer: runtime.setTimer,
    credentials: config.credentials ?? 'omit',
    maxResponseBytes: config.maxResponseBytes,
    headers: async (request) => ({ ...config.headers, ...(await authorization.headers(request)) }),
    ...(authorization.renew && { renew: authorization.renew }),
    ...(authorization.refused && { refused: authorization.refused }),
    ...(authorization.observe && { observe: authorization.observe }),
    wire: events.wire,
    wake(listener) {
      waiting.add(listener)
      return () => void waiting.delete(listener)
    },
  }
  // Not `debug`: this level is the server's too, and most who listen want to know of something else.
  if (hooks.onEvent) events.listen({ lists: true, log: 'info', authorization: true, state: true }, hooks.onEvent)

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
  let hearing: Hearing | undefined
  const send = (method: string, params: object, options: SendOptions) => {
    const log = hearing?.subscriptions.log
    return links.run(options.signal, (link) => {
      const asks = log && link.server.era === 'modern' && link.server.capabilities.logging
      const meta = { ...options.meta, ...(asks && { 'io.modelcontextprotocol/logLevel': log }) }
      return link.request(method, params, { ...options, meta })
    })
  }
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
    if (signedOut && !hooks.signal?.aborted) return createNoLink(identity)
    closing.abort()
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
      return await reach.establish({
        endpoint,
        config,
        identity,
        memory,
        attempts,
        deadline,
        report,
        prepare,
        onStrayProgress: tasks.onProgress,
        onHeard: () => hearing?.heard(),
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
      if (client !== speaking) return
      if (hearing) return hearing.notified(notification)
      // Before anything is known: what there is to read will be read.
      const event = toEvent(notification)
      if (event) events.emit(event)
    }
  }

  const links = createLinks(connection, {
    server,
    reinitialize: config.reinitialize !== false,
    isMissing: signedOut !== undefined,
    refusal: () => signedOut,
    now: runtime.now,
    setTimer: runtime.setTimer,
    eager: reach.reopen !== undefined,
    open: (signal) => reach.reopen?.(() => begin(signal), signal) ?? begin(signal),
    onLost(error) {
      // A task is cancelled on the server after the end was told, and may meet a lost session.
      if (state.status === 'closed') return
      hearing?.subscriptions.lost()
      if (isVersionRefused(error)) memory.forget()
      if (reach.isOver?.()) return void close(McpError.is(error) ? withDetails(error, { server }) : error)
      setState(signedOut ? 'unauthorized' : 'recovering', {
        error: toErrorData(McpError.is(error) ? withDetails(error, { server }) : error),
      })
    },
    onRenewed(link) {
      if (state.status === 'closed') return
      toolMemory.setEra(link.server.era, runsTasks(link.server))
      setState('ready', { server: link.server })
      events.emit({ type: 'session-renewed' })
      hearing?.renewed(link)
    },
  })
  dropLink = () => {
    hearing?.subscriptions.lost()
    links.drop()
  }
  const toolMemory = createToolMemory(connection.server.era, runsTasks(connection.server))
  hearing = createHearing({
    server,
    config,
    links,
    toolMemory,
    now: runtime.now,
    setTimer: runtime.setTimer,
    closing: closing.signal,
    wake: endpoint.wake,
    invited: dialogues.invited,
    emit: events.emit,
    report,
    send,
  })
  const { lists, subscriptions, listened } = hearing
  const requests = createRequests({
    server,
    isOpen: () => state.status !== 'closed',
    callTimeoutMs: config.callTimeoutMs,
    ...stopwatch,
    closing: closing.signal,
    trusted: config.trusted === true,
    toolMemory,
    lists,
    subscriptions,
    tasks: { run: tasks.run, optional: config.tasks.optional },
    report,
    dialogues,
    capabilities: () => links.current.server.capabilities,
    send,
  })

  const isClosed = () => state.status === 'closed'

  function wake(): void {
    links.wake()
    for (const listener of [...waiting]) listener()
  }

  let stopWaiting = () => {}
  let stopWatching: (Unsubscribe | undefined)[] = []
  let closed: Promise<void> | undefined
  async function close(error?: unknown): Promise<void> {
    if (state.status !== 'closed') {
      stopWaiting()
      for (const stop of stopWatching) stop?.()
      setState('closed', error === undefined ? {} : { error: toErrorData(error) })
      closing.abort()
      subscriptions.close()
      const cancelling = tasks.cancelling()
      const end = async () => {
        await links.close()
        await reach.gone?.()
      }
      closed = cancelling ? cancelling.then(end) : end()
    }
    await closed
  }
  // Before the state is known, so that who is aborted by now was never ready.
  stopWaiting = onAbort(hooks.signal, () => void close(hooks.signal?.reason))
  if (state.status === 'connecting') setState('ready', { server: connection.server })
  // A listener may have aborted.
  hooks.signal?.throwIfAborted()
  events.onInterest((wanted) => {
    listened(wanted)
  })
  const forget = (named: string | undefined) => {
    if ([undefined, server, config.url].includes(named)) authorization.forget?.()
  }
  signOuts.add(forget)
  stopWatching = [
    () => signOuts.delete(forget),
    runtime.wake?.(wake),
    runtime.leave?.(() => links.current.transport.leave()),
  ]
  return {
    get state() {
      return state
    },
    request: <M extends Method>(method: M, params: Methods[M]['params'], options?: RequestOptions) =>
      requests.request(method, params, options),
    listen: events.listen,
    async authorize({ signal } = {}) {
      if (state.status === 'closed') throw closedError(server, 'authorize', {})
      if (!authorization.authorize)
        throw new ConfigError(`${server} is configured without a sign-in; set "auth" to one that has it`, {
          data: { server, key: 'auth' },
        })
      signal?.throwIfAborted()
      // Called before anything is waited for: only within a click may a window be opened.
      await authorization.authorize(signal)
      if (isClosed()) throw closedError(server, 'authorize', {})
      signedOut = undefined
      await links.ready(signal ?? closing.signal)
    },
    close: () => close(),
  }
}
