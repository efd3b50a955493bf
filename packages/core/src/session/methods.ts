import { reservedMetaKey } from '../config.js'
import type { RequestOptions } from '../connection.js'
import { decodeCallToolResult, decodeGetPromptResult, decodeReadResourceResult } from '../content/decode.js'
import { ConfigError, closedError, type ErrorDetails, InvalidResponseError } from '../errors.js'
import type { Finding, Json, JsonObject, Method, Methods, Progress } from '../protocol.js'
import { createDeadline } from './deadline.js'
import { explain } from './explain.js'
import { readPages } from './lists.js'

interface SendOptions {
  signal: AbortSignal
  onProgress?: (progress: Progress) => void
  meta?: JsonObject
}

export interface RequestsOptions {
  server: string
  isOpen(): boolean
  callTimeoutMs: number | null
  setTimer(ms: number, run: () => void): () => void
  report(finding: Finding): void
  /** One request on the wire and its raw result. */
  send(method: Method, params: object, options: SendOptions): Promise<JsonObject>
}

/** Where each list method keeps its items. */
const listKeys = {
  'tools/list': 'tools',
  'resources/list': 'resources',
  'resources/templates/list': 'resourceTemplates',
  'prompts/list': 'prompts',
} as const

const methodNotFound = -32601

/** The port's requests: deadlines around each, pages joined, results decoded, errors explained. */
export function createRequests({ server, isOpen, callTimeoutMs, setTimer, report, send }: RequestsOptions) {
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
      return (await run(method, params, sendOptions)) as Methods[M]['result']
    } catch (error) {
      if (!deadline.signal.aborted) throw explain(error, details)
      throw options.signal?.aborted ? options.signal.reason : explain(deadline.reason, details)
    } finally {
      deadline.end()
    }
  }

  async function run(method: Method, params: object, options: SendOptions): Promise<unknown> {
    switch (method) {
      case 'tools/call':
        return decodeCallToolResult(await send(method, params, options))
      case 'resources/read':
        return decodeReadResourceResult(await send(method, params, options))
      case 'prompts/get':
        return decodeGetPromptResult(await send(method, params, options))
      case 'completion/complete':
        return send(method, params, options)
      default:
        return list(method, params, options)
    }
  }

  async function list(method: keyof typeof listKeys, params: { cursor?: string }, options: SendOptions) {
    const key = listKeys[method]
    const fetchPage = async (cursor?: string) => {
      const { [key]: items, ...page } = await send(
        method,
        cursor === undefined ? params : { ...params, cursor },
        options,
      )
      if (!Array.isArray(items))
        throw new InvalidResponseError(`The server's answer to ${method} holds no list "${key}"`, {
          data: { reason: 'shape' },
        })
      return { ...page, items: items as Json[] }
    }
    if (params.cursor !== undefined) {
      const { items, ...page } = await fetchPage(params.cursor)
      return { ...page, [key]: items }
    }
    try {
      return { [key]: await readPages(fetchPage, report) }
    } catch (error) {
      // A server without this list may say so only when asked.
      if ((error as { code?: unknown }).code === methodNotFound) return { [key]: [] }
      throw error
    }
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
