import { isAllowed } from './authorization.js'
import type { Exchange } from './exchange.js'
import { parseJson } from './limits.js'
import type { Upstream } from './options.js'
import { Refusal, type RpcId } from './refusal.js'

interface Message {
  id?: RpcId
  method?: unknown
  params?: { name?: unknown } | null
}

/**
 * Refuses what the caller may not do, before anything of it is passed on: by `tools` of the server's configuration, and
 * by the app's `authorize`. Without either of them the body is not looked at.
 *
 * @throws {Refusal} 403; 400 for a body that two parsers may read in two ways.
 */
export async function refuseDenied(exchange: Exchange, upstream: Upstream, body: Uint8Array): Promise<void> {
  const { gateway, request } = exchange
  if (!gateway.authorize && !upstream.tools) return
  if (request.method !== 'POST') return refuseCall(exchange, upstream, { method: request.method })
  const { text, value } = parseJson(body)
  if (repeatsName(text)) throw ambiguous('holds a name twice')
  for (const message of Array.isArray(value) ? value : [value]) await refuseMessage(exchange, upstream, message)
}

async function refuseMessage(exchange: Exchange, upstream: Upstream, value: unknown): Promise<void> {
  if (!isObject(value)) throw ambiguous('holds what is no JSON-RPC message')
  refuseLookalikes(value, ['method', 'params'])
  const { id = null, method, params } = value as Message
  // A reply to the server has none.
  if (method === undefined) return refuseCall(exchange, upstream, { method: exchange.request.method, id })
  if (typeof method !== 'string') throw ambiguous('holds a method that is no string', id)
  refuseOtherHeader(exchange.request, 'mcp-method', method, id)
  if (method !== 'tools/call') return refuseCall(exchange, upstream, { method, id })
  if (isObject(params)) refuseLookalikes(params, ['name'])
  const tool = params?.name
  if (typeof tool !== 'string') throw ambiguous('calls a tool without a name', id)
  refuseOtherHeader(exchange.request, 'mcp-name', tool, id)
  return refuseCall(exchange, upstream, { method, tool, id })
}

async function refuseCall(
  exchange: Exchange,
  { tools: { allow, deny } = {} }: Upstream,
  { method, tool, id = null }: { method: string; tool?: string; id?: RpcId },
): Promise<void> {
  const { name: server } = exchange
  const configured = tool === undefined || ((!allow || allow.includes(tool)) && !deny?.includes(tool))
  if (configured && (await isAllowed(exchange, { server, method, ...(tool !== undefined && { tool }) }))) return
  const what = tool === undefined ? method : `The tool ${JSON.stringify(tool)}`
  throw new Refusal(403, 'ERR_GATEWAY_DENIED', `${what} of "${server}" is not allowed to this caller`, { id, server })
}

/** Some servers take `Method` for `method`, as Go's decoder does; they would see a call where none was checked. */
function refuseLookalikes(object: object, names: string[]): void {
  for (const key of Object.keys(object))
    if (!names.includes(key) && names.some((name) => name.toUpperCase() === key.toUpperCase()))
      throw ambiguous('spells a name in another case')
}

/** Whether an object in this JSON text has a name twice: parsers differ in which of the two they take. */
function repeatsName(json: string): boolean {
  const open: (Set<string> | undefined)[] = []
  for (const [token, string, colon] of json.matchAll(/("[^"\\]*(?:\\.[^"\\]*)*")(\s*:)?|[[\]{}]/g)) {
    if (token === '{') open.push(new Set())
    else if (token === '[') open.push(undefined)
    else if (token === ']' || token === '}') open.pop()
    else if (string && colon) {
      const name = JSON.parse(string) as string
      if (open.at(-1)?.has(name)) return true
      open.at(-1)?.add(name)
    }
  }
  return false
}

/** What routes by the header must not see another call than was checked. */
function refuseOtherHeader({ headers }: Request, header: string, value: string, id: RpcId): void {
  const given = headers.get(header)
  if (given !== null && decodeHeaderValue(given) !== value) throw ambiguous(`and its ${header} header differ`, id)
}

/** The inverse of the protocol's `=?base64?…?=`. */
function decodeHeaderValue(value: string): string | undefined {
  const encoded = /^=\?base64\?(.*)\?=$/.exec(value)?.[1]
  if (encoded === undefined) return value
  try {
    return new TextDecoder().decode(Uint8Array.from(atob(encoded), (character) => character.charCodeAt(0)))
  } catch {
    return undefined
  }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function ambiguous(what: string, id: RpcId = null): Refusal {
  return new Refusal(400, 'ERR_GATEWAY_BODY', `The body ${what}, so that it can't be checked`, { id })
}
