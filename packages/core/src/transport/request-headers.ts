import type { JsonRpcMessage } from './json-rpc.js'

/** Where each method keeps what `Mcp-Name` repeats. */
const nameParam: Readonly<Record<string, string>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
  'tasks/get': 'taskId',
  'tasks/update': 'taskId',
  'tasks/cancel': 'taskId',
}

/**
 * The headers by which a modern server can route a request without reading it.
 *
 * @see {@link https://modelcontextprotocol.io/specification/2026-07-28/basic/transports#standard-request-headers}
 */
export function modernHeaders(message: JsonRpcMessage): Record<string, string> {
  if (!message.method) return {}
  const param = Object.hasOwn(nameParam, message.method) ? nameParam[message.method] : undefined
  const name = param && message.params?.[param]
  return {
    'mcp-method': message.method,
    ...(typeof name === 'string' && { 'mcp-name': encodeHeaderValue(name) }),
  }
}

/** Plain ASCII as it is; anything else, and what HTTP would trim, as `=?base64?…?=` of its UTF-8. */
export function encodeHeaderValue(value: string): string {
  const plain = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(value)
  if (plain && !(value.startsWith('=?base64?') && value.endsWith('?='))) return value
  const bytes = new TextEncoder().encode(value)
  return `=?base64?${btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))}?=`
}
