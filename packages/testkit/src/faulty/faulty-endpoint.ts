import { randomUUID } from 'node:crypto'
import type { Era } from '@x/core'
import { type FaultScript, healthy, type ReplyForm } from './fault-script.js'
import { concat, replyBytes, replyEvents } from './reply-bytes.js'

export interface HttpRequest {
  httpMethod: string
  /** `/modern/mcp` or `/legacy/mcp`. */
  path: string
  header(name: string): string | undefined
  body: string
}

/** A response, and what is wrong with it. */
export interface Answer {
  before: Uint8Array
  /** The call whose fault happens between the two parts. */
  fault?: { key: string; kind: FaultScript['fault']; offset: number }
  after: Uint8Array
  ending: 'keep' | 'close' | 'stall' | 'restart'
}

/** An MCP server of both eras with one tool, which counts its executions. */
export interface FaultyEndpoint {
  answer(request: HttpRequest): Answer
  /** What happens in the calls whose argument `key` is one of these. */
  begin(scripts: Record<string, FaultScript>): void
  /** Forgets sessions and streams, as a restart does. */
  loseState(): void
  /** Executions of the tool by key, since `begin`. */
  executions(): Record<string, number>
  /** The requests since `begin`, a line each. */
  log(): string[]
}

interface Message {
  id?: unknown
  method?: string
  params?: {
    arguments?: { key?: string; form?: ReplyForm }
    protocolVersion?: string
    _meta?: { progressToken?: unknown }
  }
}

const tool = { name: 'run', description: 'Runs and counts that it ran', inputSchema: { type: 'object' } }
const identity = { name: 'faulty', version: '1' }
const capabilities = { tools: {} }
const nothing = new Uint8Array()

export function createFaultyEndpoint(): FaultyEndpoint {
  const sessions = new Set<string>()
  /** What a stream still has to say to a client that comes back, by the event's id. */
  const streams = new Map<string, string[]>()
  let scripts: Record<string, FaultScript> = {}
  let executions: Record<string, number> = {}
  let log: string[] = []
  let lastStream = 0

  function answerModern({ httpMethod, body }: HttpRequest): Answer {
    if (httpMethod !== 'POST') return whole(405)
    const message = JSON.parse(body) as Message
    if (message.id === undefined) return whole(202)
    if (message.method === 'tools/call') return answerCall('modern', message)
    const common = { resultType: 'complete', ttlMs: 0, cacheScope: 'private' }
    if (message.method === 'tools/list') return result(message, { ...common, tools: [tool] })
    if (message.method !== 'server/discover') return error(404, message.id, -32601, 'Method not found')
    const _meta = { 'io.modelcontextprotocol/serverInfo': identity }
    return result(message, { ...common, supportedVersions: ['2026-07-28'], capabilities, _meta })
  }

  function answerLegacy(request: HttpRequest): Answer {
    const sessionId = request.header('mcp-session-id')
    const message = request.httpMethod === 'POST' ? (JSON.parse(request.body) as Message) : {}
    if (message.method === 'initialize') {
      const opened = randomUUID()
      sessions.add(opened)
      const protocolVersion = message.params?.protocolVersion ?? '2025-11-25'
      const initialized = { protocolVersion, capabilities, serverInfo: identity }
      return result(message, initialized, [`Mcp-Session-Id: ${opened}`])
    }
    if (!sessionId) return error(400, message.id ?? null, -32000, 'Mcp-Session-Id is missing')
    if (!sessions.has(sessionId)) return error(404, message.id ?? null, -32001, 'Session not found')
    if (request.httpMethod === 'DELETE') {
      sessions.delete(sessionId)
      return whole(200)
    }
    if (request.httpMethod === 'GET') return resume(request.header('last-event-id'))
    if (message.id === undefined) return whole(202)
    if (message.method === 'tools/call') return answerCall('legacy', message)
    if (message.method === 'tools/list') return result(message, { tools: [tool] })
    if (message.method === 'ping') return result(message, {})
    return error(200, message.id, -32601, 'Method not found')
  }

  function answerCall(era: Era, { id, params }: Message): Answer {
    const { key = '', form: wanted = 'json' } = params?.arguments ?? {}
    executions[key] = (executions[key] ?? 0) + 1
    const { form, fault: kind, offset } = scripts[key] ?? healthy(era, wanted)
    const progressToken = params?._meta?.progressToken
    // Every offset counts on the progress event.
    if (kind !== 'none' && form.startsWith('sse') && progressToken === undefined)
      return error(400, id, -32602, 'A call with a script has to ask for progress')
    const reply = { era, form, id, progressToken, stream: ++lastStream, key }
    const bytes = replyBytes(reply)
    if (form === 'sse-ids' && era === 'legacy') keep(replyEvents(reply))
    const ending = form === 'sse-until-close' ? 'close' : 'keep'
    if (kind === 'none') return { before: bytes, after: nothing, ending }
    const fault = { key, kind, offset }
    const before = bytes.slice(0, offset)
    if (kind === 'garble') return { before, fault, after: bytes.fill(0, offset, offset + 1).subarray(offset), ending }
    // Nothing is left to wait for.
    if (kind === 'stall' && offset === bytes.length && ending === 'keep')
      return { before, fault, after: nothing, ending }
    return { before, fault, after: nothing, ending: kind === 'cut' ? 'close' : kind }
  }

  function keep(events: string[]): void {
    for (const [index, event] of events.entries()) {
      const id = /^id: (.*)$/m.exec(event)?.[1]
      if (id) streams.set(id, events.slice(index + 1))
    }
  }

  function resume(lastEventId: string | undefined): Answer {
    // There is no stream of the server's own.
    if (lastEventId === undefined) return whole(405)
    const rest = streams.get(lastEventId)
    if (!rest) return whole(404)
    // 204 is how the HTML standard tells a client not to come back.
    return rest.length > 0 ? whole(200, 'text/event-stream', rest.join('')) : whole(204)
  }

  return {
    answer(request) {
      log.push(describe(request))
      return request.path.startsWith('/modern/') ? answerModern(request) : answerLegacy(request)
    },
    begin(wanted) {
      scripts = wanted
      executions = {}
      log = []
    },
    loseState() {
      sessions.clear()
      streams.clear()
    },
    executions: () => executions,
    log: () => log,
  }
}

function describe({ httpMethod, header, body }: HttpRequest): string {
  const { method, params } = body ? (JSON.parse(body) as Message) : {}
  const key = params?.arguments?.key
  const after = header('last-event-id')
  return [httpMethod, method, key && `"${key}"`, after && `after ${after}`].filter(Boolean).join(' ')
}

function whole(status: number, type?: string, body = '', more: string[] = []): Answer {
  const content = new TextEncoder().encode(body)
  const lines = [
    `HTTP/1.1 ${status} ${status < 400 ? 'OK' : 'Error'}`,
    ...(type ? [`Content-Type: ${type}`] : []),
    ...(status === 204 ? [] : [`Content-Length: ${content.length}`]),
    ...more,
  ]
  const before = concat(new TextEncoder().encode(`${lines.join('\r\n')}\r\n\r\n`), content)
  return { before, after: nothing, ending: 'keep' }
}

const json = (status: number, value: object, more?: string[]) =>
  whole(status, 'application/json', JSON.stringify(value), more)

const result = ({ id }: Message, value: object, more?: string[]) =>
  json(200, { jsonrpc: '2.0', id, result: value }, more)

const error = (status: number, id: unknown, code: number, message: string) =>
  json(status, { jsonrpc: '2.0', id, error: { code, message } })
