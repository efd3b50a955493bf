import type { Era, JsonObject } from '../protocol.js'
import { type Message, objectOf } from './rpc.js'

/** A request that reached a test server. */
export interface ReceivedRequest {
  /** `modern`: it names revision 2026-07-28, in its `_meta` or its header. */
  readonly era: Era
  readonly url: string
  readonly httpMethod: string
  /** The JSON-RPC method; `response` of an answer to a question; else the HTTP method: `GET`, `DELETE`. */
  readonly method: string
  /** The tool, prompt or URI that it is about. */
  readonly name?: string
  readonly params?: JsonObject
  /** The JSON-RPC message, whole. */
  readonly body?: JsonObject
  /** As they came, by their lower-case names; a credential is among them. */
  readonly headers: Readonly<Record<string, string>>
  /** `Mcp-Session-Id`. */
  readonly session?: string
}

/** Which requests are meant; what is left out may be anything. */
export interface RequestMatch {
  /** As in {@link ReceivedRequest.method}. */
  method?: string
  /** A tool, a prompt or a URI. */
  name?: string
}

export const matches = (request: ReceivedRequest, { method, name }: RequestMatch): boolean =>
  (method === undefined || request.method === method) && (name === undefined || request.name === name)

export const versionKey = 'io.modelcontextprotocol/protocolVersion'
const modernVersion = '2026-07-28'

export function toReceived(url: string, httpMethod: string, headers: Headers, body?: JsonObject): ReceivedRequest {
  const message: Message = body ?? {}
  const params = body ? objectOf(message.params) : undefined
  const name = params?.name ?? params?.uri
  const session = headers.get('mcp-session-id')
  const version = objectOf(params?._meta)[versionKey]
  const isModern = version !== undefined || headers.get('mcp-protocol-version') === modernVersion
  return {
    era: isModern ? 'modern' : 'legacy',
    url,
    httpMethod,
    method: message.method ?? (body && ('result' in body || 'error' in body) ? 'response' : httpMethod),
    ...(typeof name === 'string' && { name }),
    ...(message.params && { params: message.params }),
    ...(body && { body }),
    headers: Object.fromEntries(headers),
    ...(session !== null && { session }),
  }
}

/** All that came, in order, and those who wait for more. */
export interface RequestRecord {
  readonly all: readonly ReceivedRequest[]
  add(request: ReceivedRequest): void
  /** The request number `nth`, from 1, that matches: once it has come. */
  arrival(match: RequestMatch, nth: number): Promise<ReceivedRequest>
}

export function createRecord(): RequestRecord {
  const all: ReceivedRequest[] = []
  const waiting = new Set<() => void>()
  return {
    all,
    add(request) {
      all.push(request)
      for (const look of [...waiting]) look()
    },
    arrival: (match, nth) =>
      new Promise((resolve) => {
        const look = () => {
          const found = all.filter((request) => matches(request, match))[nth - 1]
          if (!found) return
          waiting.delete(look)
          resolve(found)
        }
        waiting.add(look)
        look()
      }),
  }
}
