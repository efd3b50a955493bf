import { reservedMetaKey } from '../config.js'
import type { RequestOptions } from '../connection.js'
import {
  decodeCallToolResult,
  decodeCompleteResult,
  decodeGetPromptResult,
  decodeReadResourceResult,
} from '../content/decode.js'
import { ConfigError, closedError, type ErrorDetails, ToolNameError } from '../errors.js'
import type { Finding, JsonObject, Method, Methods, Progress } from '../protocol.js'
import { createDeadline, type Deadline } from './deadline.js'
import type { Dialogues } from './dialogues/dialogues.js'
import { inRounds } from './dialogues/rounds.js'
import { explain } from './explain.js'
import type { SendOptions } from './link.js'
import { isListMethod, type ListMethod, listMethods } from './list-pages.js'
import type { Lists } from './lists.js'
import { createOutputCheck } from './output-check.js'
import { finalResult } from './payload.js'
import { withReplay } from './replay.js'
import type { Subscriptions } from './subscriptions.js'
import type { Tasks } from './tasks.js'
import type { ToolMemory } from './tool-memory.js'

export interface RequestsOptions {
  server: string
  isOpen(): boolean
  callTimeoutMs: number | null
  setTimer(ms: number, run: () => void): () => void
  now(): number
  /** Fires when the connection is closed. */
  closing: AbortSignal
  /** Whether the server's word counts that a tool only reads or may run twice. */
  trusted: boolean
  toolMemory: ToolMemory
  lists: Lists
  subscriptions: Pick<Subscriptions, 'subscribe' | 'unsubscribe'>
  /** `optional`: whether calls that may run as tasks do. */
  tasks: Pick<Tasks, 'run'> & { optional: boolean }
  report(finding: Finding): void
  /** What the server says that it can. */
  capabilities(): JsonObject
  dialogues: Dialogues
  /** One request on the wire and its raw result. */
  send(method: string, params: object, options: SendOptions): Promise<JsonObject>
}

/** Of one result: a server may have a finding in each of a million blocks, and the result holds them all. */
const maxToldFindings = 20

/** The port's requests: deadlines around each, results decoded, errors explained. */
export function createRequests(options: RequestsOptions) {
  const {
    server,
    isOpen,
    callTimeoutMs,
    setTimer,
    now,
    closing,
    trusted,
    toolMemory,
    lists,
    subscriptions,
    tasks,
    report,
    dialogues,
    capabilities,
    send,
  } = options

  const checkOutput = createOutputCheck({ toolMemory, trusted, report })

  /** What was found in a result, told as events too. */
  function told<Result extends { findings: Finding[] }>(result: Result): Result {
    for (const finding of result.findings.slice(0, maxToldFindings)) report(finding)
    return result
  }

  async function request<M extends Method>(
    method: M,
    params: Methods[M]['params'],
    options: RequestOptions = {},
  ): Promise<Methods[M]['result']> {
    const details: ErrorDetails = { server, method }
    if (method === 'tools/call') details.tool = (params as Methods['tools/call']['params']).name
    if (!isOpen()) throw closedError(server, method, params)
    options.signal?.throwIfAborted()
    checkOptions(options, details)
    const deadline = createDeadline({
      signal: options.signal,
      timeoutMs: options.timeoutMs === undefined ? callTimeoutMs : options.timeoutMs,
      idleTimeoutMs: options.idleTimeoutMs,
      setTimer,
      now,
      advice: 'the server was told to stop',
      what: details.tool === undefined ? `${method} on ${server}` : `Calling "${details.tool}" on ${server}`,
    })
    const { onProgress } = options
    const watched = onProgress || options.idleTimeoutMs
    const sendOptions: SendOptions = {
      signal: deadline.signal,
      ...(options.meta && { meta: options.meta }),
      ...(watched && {
        onProgress(progress: Progress) {
          deadline.progress()
          onProgress?.(progress)
        },
      }),
    }
    try {
      return (await run(method, params, sendOptions, deadline, options.refresh)) as Methods[M]['result']
    } catch (error) {
      if (!deadline.signal.aborted) throw explain(error, details)
      throw options.signal?.aborted ? options.signal.reason : explain(deadline.reason, details)
    } finally {
      deadline.end()
    }
  }

  async function run(
    method: Method,
    params: object,
    options: SendOptions,
    deadline: Deadline,
    refresh?: boolean,
  ): Promise<unknown> {
    if (isListMethod(method)) return list(method, params, options, deadline, refresh)
    const replayed = <Result>(again: () => Promise<Result>) => withReplay(again, { deadline, setTimer, closing })
    const ask = (asked: string, params: object) => {
      const conversation = { method, dialogues, deadline, setTimer, closing }
      return inRounds(params, (leg) => replayed(() => send(asked, leg, options)), conversation)
    }
    switch (method) {
      case 'tools/call': {
        const called = params as Methods['tools/call']['params']
        const conversation = { method, tool: called.name, dialogues, deadline, setTimer, closing }
        const result = finalResult(await inRounds(called, (leg) => call(leg, options, deadline), conversation))
        return checkOutput(called.name, told(decodeCallToolResult(result)))
      }
      case 'resources/read':
      case 'prompts/get': {
        const result = finalResult(await ask(method, params))
        return told(method === 'prompts/get' ? decodeGetPromptResult(result) : decodeReadResourceResult(result))
      }
      case 'completion/complete':
        return decodeCompleteResult(await replayed(() => send(method, params, options)))
      case 'skills/list':
      case 'skills/read': {
        // Most apps have no use for it.
        const { listSkills, readSkill } = await import('./skills.js')
        const skills = { capabilities: capabilities(), report, ask }
        if (method === 'skills/list') return { skills: await listSkills(skills) }
        const { skill, ref } = params as Methods['skills/read']['params']
        return readSkill(skill, ref, skills)
      }
      case 'ping':
        await replayed(() => send(method, params, options))
        return {}
      case 'resources/subscribe':
        await subscriptions.subscribe((params as Methods[typeof method]['params']).uri, deadline.signal)
        return {}
      case 'resources/unsubscribe':
        subscriptions.unsubscribe((params as Methods[typeof method]['params']).uri)
        return {}
    }
  }

  /** One call of a tool. What its arguments say in headers too is decided anew for each sending. */
  async function call(
    params: Methods['tools/call']['params'],
    options: SendOptions,
    deadline: Deadline,
  ): Promise<JsonObject> {
    const { name, arguments: args = {} } = params
    const headers = () => toolMemory.headers(name, args)
    const list = async (refresh: boolean) => void (await lists.read('tools/list', { deadline, refresh }))
    // Only a list tells which tools run as tasks. Without one the server says what is wrong with the call.
    if (toolMemory.runsTasks && toolMemory.taskSupport(name) === undefined) await list(false).catch(() => {})
    return tasks.run({ params, options, deadline, augmented: runsAsTask(name) }, (params, options) =>
      withReplay(() => send('tools/call', params, { ...options, headers: headers() }), {
        deadline,
        setTimer,
        closing,
        repeatable: trusted && toolMemory.isRepeatable(name),
        // The tool's schema has changed, or was never listed here.
        onHeaderMismatch: () => list(true),
      }),
    )
  }

  function runsAsTask(tool: string): boolean {
    const support = toolMemory.taskSupport(tool)
    if (support === 'required' && !toolMemory.runsTasks)
      throw new ToolNameError(
        `"${tool}" must run as a task, and the server does not run tasks; the tool is left out of its list`,
        { data: { outcome: 'not-run', reason: 'task' } },
      )
    return support === 'required' || (support === 'optional' && tasks.optional && toolMemory.runsTasks)
  }

  async function list(
    method: ListMethod,
    params: { cursor?: string },
    options: SendOptions,
    deadline: Deadline,
    refresh?: boolean,
  ): Promise<object> {
    const { cursor } = params
    if (cursor !== undefined) return lists.readPage(method, { ...params, cursor }, { deadline, options })
    return { [listMethods[method].key]: await lists.read(method, { deadline, options, refresh }) }
  }

  return { request }
}

function checkOptions(options: RequestOptions, details: ErrorDetails): void {
  const fail = (key: string, message: string) => {
    throw explain(new ConfigError(message, { data: { key } }), details)
  }
  for (const key of ['timeoutMs', 'idleTimeoutMs'] as const) {
    const value = options[key]
    if (value !== undefined && value !== null && !(Number.isSafeInteger(value) && value >= 1))
      fail(key, `"${key}" must be an integer of at least 1, or null for none`)
  }
  const reserved = reservedMetaKey(options.meta)
  if (reserved) fail('meta', `"meta" must not set "${reserved}": the protocol's own keys are set by this client`)
}
