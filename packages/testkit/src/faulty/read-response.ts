import { concat } from './reply-bytes.js'

/**
 * Where an HTTP implementation takes a wrong byte for the one that should be there. RFC 9112 lets it; which it does is
 * its own affair, and differs between versions of one.
 */
export interface HttpLeniency {
  /** In the reason phrase and the end of the status line. */
  reason: boolean
  /** For the last line feed of the head. */
  headEnd: boolean
  /** For the line feed behind a chunk's size. */
  sizeEnd: boolean
  /** For the line end behind a chunk's data. */
  dataEnd: boolean
}

/** Takes no wrong byte. */
export const strictHttp: HttpLeniency = { reason: false, headEnd: false, sizeEnd: false, dataEnd: false }

/** What can be read of a response, or of its beginning. */
export interface ReadResponse {
  /** The head, once it is whole. */
  head?: { status: number; headers: [name: string, value: string][] }
  /** The body's bytes so far, without the framing. */
  body: Uint8Array
  /** `open`: more has to come; `broken`: this is not HTTP. */
  state: 'open' | 'whole' | 'broken'
  /** The body has no other end than the connection's. */
  untilClose: boolean
}

const cr = 13
const lf = 10

/**
 * Reads a response by RFC 9112, for the responses that the faulty server sends: with a length, in chunks, or until the
 * connection closes.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc9112#section-6.3}
 */
export function readResponse(bytes: Uint8Array, lenient: HttpLeniency): ReadResponse {
  const nothing = { body: new Uint8Array(), untilClose: false }
  const parsed = readHead(bytes, lenient)
  if (typeof parsed === 'string') return { ...nothing, state: parsed }
  const { head, end } = parsed
  const field = (name: string) => head.headers.find(([key]) => key.toLowerCase() === name)?.[1]
  const rest = bytes.subarray(end)
  if (field('transfer-encoding') === 'chunked') return { ...nothing, head, ...readChunked(rest, lenient) }
  const length = field('content-length')
  if (length === undefined && head.status !== 204) return { head, body: rest, state: 'open', untilClose: true }
  const body = rest.subarray(0, Number(length ?? 0))
  return { ...nothing, head, body, state: body.length === Number(length ?? 0) ? 'whole' : 'open' }
}

type Head = NonNullable<ReadResponse['head']>

function readHead(bytes: Uint8Array, lenient: HttpLeniency): { head: Head; end: number } | 'open' | 'broken' {
  const lines: string[] = []
  for (let start = 0; ; ) {
    const first = start === 0
    const end = bytes.findIndex((byte, index) => index >= start && (byte === cr || byte === lf))
    const line = latin1(bytes.subarray(start, end < 0 ? bytes.length : end))
    if (!isSound(line, first, lenient)) return 'broken'
    if (end < 0 || end + 1 >= bytes.length) return 'open'
    const sound = bytes[end] === cr && bytes[end + 1] === lf
    const passes = first ? lenient.reason : line === '' && bytes[end] === cr && lenient.headEnd
    if (!sound && !passes) return 'broken'
    start = end + (bytes[end] === lf ? 1 : 2)
    if (line === '') return { head: toHead(lines), end: start }
    lines.push(line)
  }
}

const isSound = (line: string, isStatusLine: boolean, { reason }: HttpLeniency) =>
  !(isStatusLine && reason ? line.slice(0, 'HTTP/1.1 200 '.length) : line).includes('\0')

function toHead([statusLine = '', ...fields]: string[]): Head {
  return {
    status: Number(statusLine.split(' ')[1]),
    headers: fields.map((line) => {
      const colon = line.indexOf(':')
      return [line.slice(0, colon), line.slice(colon + 1).trim()]
    }),
  }
}

function readChunked(bytes: Uint8Array, lenient: HttpLeniency): Pick<ReadResponse, 'body' | 'state'> {
  const parts: Uint8Array[] = []
  let at = 0
  const result = (state: ReadResponse['state']) => ({ body: concat(...parts), state })
  /** One byte of the framing, which may be another one where the reader is lenient. */
  const take = (wanted: number, passes: boolean) => {
    if (at >= bytes.length) return 'open'
    return bytes[at++] === wanted || passes ? undefined : 'broken'
  }
  for (;;) {
    const start = at
    while (at < bytes.length && /[0-9a-f]/.test(String.fromCharCode(bytes[at]!))) at++
    const digits = latin1(bytes.subarray(start, at))
    if (digits === '' && at < bytes.length) return result('broken')
    const sizeEnd = take(cr, false) ?? take(lf, lenient.sizeEnd)
    if (sizeEnd) return result(sizeEnd)
    const size = Number.parseInt(digits, 16)
    if (size === 0) return result(take(cr, false) ?? take(lf, lenient.headEnd) ?? 'whole')
    parts.push(bytes.subarray(at, at + size))
    at = Math.min(at + size, bytes.length)
    const dataEnd = take(cr, lenient.dataEnd) ?? take(lf, lenient.dataEnd)
    if (dataEnd) return result(dataEnd)
  }
}

const latin1 = (bytes: Uint8Array) => Array.from(bytes, (byte) => String.fromCharCode(byte)).join('')
