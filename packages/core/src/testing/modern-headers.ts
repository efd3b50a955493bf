import type { JsonObject } from '../protocol.js'
import { type ReceivedRequest, versionKey } from './received.js'
import { headerMismatch, invalidParams, isObject, objectOf, RpcError, unsupportedVersion } from './rpc.js'

/** Methods whose subject the header `Mcp-Name` repeats. */
const named: readonly string[] = ['tools/call', 'prompts/get', 'resources/read']

/**
 * Holds a request of revision 2026-07-28 to what every request has to say of itself.
 *
 * @param schema - Of the arguments, where it is a call of a tool.
 * @throws {RpcError} -32020, -32022, -32602.
 * @see {@link https://modelcontextprotocol.io/specification/2026-07-28/basic/transports#standard-request-headers}
 */
export function checkModernRequest(
  { method, name, params = {}, headers }: ReceivedRequest,
  versions: readonly string[],
  schema: JsonObject | undefined,
): void {
  const meta = objectOf(params._meta)
  const requested = meta[versionKey]
  const stated = headers['mcp-protocol-version']
  if (typeof requested !== 'string' || !versions.includes(requested)) {
    const data = { supported: [...versions], requested: requested ?? params.protocolVersion ?? stated ?? 'none' }
    throw new RpcError(unsupportedVersion, 'Unsupported protocol version', data)
  }
  expectHeader('MCP-Protocol-Version', stated, requested)
  expectHeader('Mcp-Method', headers['mcp-method'], method)
  if (named.includes(method)) expectHeader('Mcp-Name', decoded(headers['mcp-name']), name)
  if (!isObject(meta['io.modelcontextprotocol/clientCapabilities']))
    throw new RpcError(invalidParams, '_meta lacks io.modelcontextprotocol/clientCapabilities')
  for (const [key, header] of markedArguments(schema)) {
    const value = objectOf(params.arguments)[key]
    expectHeader(header, decoded(headers[header.toLowerCase()]), value == null ? undefined : String(value))
  }
}

function expectHeader(header: string, found: string | undefined, wanted: string | undefined): void {
  if (found === wanted) return
  throw new RpcError(
    headerMismatch,
    `Header mismatch: ${header} is ${found ?? 'missing'}, the body says ${wanted ?? 'nothing'}`,
  )
}

/** Arguments that a schema wants repeated in a header, with its name. */
function markedArguments(schema: JsonObject | undefined): [string, string][] {
  return Object.entries(objectOf(schema?.properties)).flatMap(([key, property]) => {
    const mark = objectOf(property)['x-mcp-header']
    return typeof mark === 'string' ? [[key, `Mcp-Param-${mark}`]] : []
  })
}

/** The text that a header stands for, where it is in the form for what HTTP can't hold. */
function decoded(value: string | undefined): string | undefined {
  const [, base64] = /^=\?base64\?(.*)\?=$/.exec(value ?? '') ?? []
  if (base64 === undefined) return value
  return new TextDecoder().decode(Uint8Array.from(atob(base64), (character) => character.charCodeAt(0)))
}
