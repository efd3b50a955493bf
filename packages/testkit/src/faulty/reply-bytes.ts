import type { Era } from '@x/core'
import type { ReplyForm } from './fault-script.js'

export interface ReplyOptions {
  era: Era
  form: ReplyForm
  /** The JSON-RPC id of the call. */
  id: unknown
  /** Without it no progress is told. */
  progressToken?: unknown
  /** Names the stream in event ids. */
  stream: number
  /** Whose result it is. */
  key: string
}

const encoder = new TextEncoder()

/** The text of the result: with characters of two, three and four bytes. */
export const resultText = (key: string): string => `${key} ran: é € 😀`

/**
 * A whole response to a call, as it goes over the wire. It is as long for one id and token as for another, so that
 * every offset in it is known before the call is made.
 */
export function replyBytes(options: ReplyOptions): Uint8Array {
  const { form } = options
  if (form === 'json' || form === 'json-chunked') {
    const json = encoder.encode(reply(options))
    return form === 'json'
      ? concat(head('application/json', `Content-Length: ${json.length}`), json)
      : concat(head('application/json', 'Transfer-Encoding: chunked'), ...chunked([json]))
  }
  const events = replyEvents(options).map((event) => encoder.encode(event))
  return form === 'sse-until-close'
    ? concat(head('text/event-stream', 'Connection: close'), ...events)
    : concat(head('text/event-stream', 'Transfer-Encoding: chunked'), ...chunked(events))
}

/** The events of the stream, each with its blank line. */
export function replyEvents(options: ReplyOptions): string[] {
  const { form, progressToken, stream } = options
  const withIds = form === 'sse-ids'
  let events = 0
  const id = () => (withIds ? `id: ${eventId(stream, ++events)}\n` : '')
  const event = (json: string) => `event: message\n${id()}data: ${json}\n\n`
  return [
    // What lets a client come back that has seen nothing else yet.
    ...(withIds ? [`retry: 1\n${id()}data:\n\n`] : []),
    ': keep-alive\n\n',
    ...(progressToken === undefined ? [] : [event(progress(progressToken))]),
    event(reply(options)),
  ]
}

const eventId = (stream: number, event: number) => `${String(stream).padStart(8, '0')}-${event}`

const progress = (token: unknown) =>
  `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":${padded(token)},"progress":1,"total":2}}`

function reply({ era, id, key }: ReplyOptions): string {
  const text = JSON.stringify(resultText(key))
  const type = era === 'modern' ? '"resultType":"complete",' : ''
  return `{"jsonrpc":"2.0","id":${padded(id)},"result":{${type}"content":[{"type":"text","text":${text}}]}}`
}

/** Spaces between JSON's tokens mean nothing. */
const padded = (value: unknown) => JSON.stringify(value).padStart(12)

const head = (type: string, framing: string) =>
  encoder.encode(`HTTP/1.1 200 OK\r\nContent-Type: ${type}\r\n${framing}\r\n\r\n`)

function chunked(parts: Uint8Array[]): Uint8Array[] {
  const framed = parts.flatMap((part) => [
    encoder.encode(`${part.length.toString(16)}\r\n`),
    part,
    encoder.encode('\r\n'),
  ])
  return [...framed, encoder.encode('0\r\n\r\n')]
}

export function concat(...parts: Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}
