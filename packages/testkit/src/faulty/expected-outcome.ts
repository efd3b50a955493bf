import type { ErrorCode, ErrorDetails } from '@x/core'
import { type FaultScript, toLine } from './fault-script.js'
import { readEvents, type StreamEvent } from './read-events.js'
import { type HttpLeniency, type ReadResponse, readResponse } from './read-response.js'
import { replyBytes, replyEvents, resultText } from './reply-bytes.js'

/** What the caller of the tool gets. */
export type Outcome =
  | { text: string /** Progress events before the result. */; progress: number }
  | { code: ErrorCode; outcome: ErrorDetails['outcome']; reason?: string }

export interface Expectation {
  call: Outcome
  /** Of one more call on the same connection, which goes well. */
  next: Outcome
  /** The reply came, but its stream stays open: the client has to let go of it by itself. */
  lingers: boolean
}

const lost: Outcome = { code: 'ERR_MCP_OUTCOME_UNKNOWN', outcome: 'unknown' }
const unreadable: Outcome = { code: 'ERR_MCP_INVALID_RESPONSE', outcome: 'unknown' }
const late: Outcome = { code: 'ERR_MCP_TIMEOUT', outcome: 'unknown' }

/** Which call a key stands for, in a run of two. */
export const keys = { call: 'call', next: 'next' } as const

/**
 * What has to come of a script, from nothing but the bytes that it sends: read by RFC 9112 and the HTML standard, and by
 * the rule that a tool runs at most once and a lost reply is told.
 */
export function expectedOutcome(script: FaultScript, http: HttpLeniency): Expectation {
  const response = readResponse(sentBytes(script), http)
  const { call, lingers = false } = callOutcome(script, response)
  // Also after a restart: a server that refuses a session did not run the call, which is sent by a new one.
  const next = { text: resultText(keys.next), progress: isStream(script) ? 1 : 0 }
  return { call, next, lingers }
}

/** The ids stand for any others: they don't change where a byte is. */
const reply = ({ era, form }: FaultScript) => ({ era, form, id: 1, progressToken: 1, stream: 1, key: keys.call })

/** How many bytes the response has that a script may break. */
export const responseLength = (script: FaultScript): number => replyBytes(reply(script)).length

function sentBytes(script: FaultScript): Uint8Array {
  const bytes = replyBytes(reply(script))
  if (script.fault === 'none') return bytes
  if (script.offset > bytes.length) throw new RangeError(`${toLine(script)} lies outside of ${bytes.length} bytes`)
  if (script.fault === 'garble') return bytes.fill(0, script.offset, script.offset + 1)
  return bytes.subarray(0, script.offset)
}

const isStream = ({ form }: FaultScript) => form.startsWith('sse')

interface CallOutcome {
  call: Outcome
  lingers?: boolean
}

function callOutcome(script: FaultScript, response: ReadResponse): CallOutcome {
  const waits = script.fault === 'stall' && response.state === 'open'
  if (!response.head) return { call: waits ? late : lost }
  if (isStream(script)) return streamOutcome(script, response, waits)
  if (response.state !== 'whole') return { call: waits ? late : lost }
  return { call: isJson(decode(response.body)) ? result(0) : unreadable }
}

function streamOutcome(script: FaultScript, { body }: ReadResponse, waits: boolean): CallOutcome {
  const { events, lastEventId } = readEvents(decode(body))
  const replied = resultOf(events)
  if (replied) return { call: replied, lingers: waits }
  if (waits) return { call: late }
  const missing = events.some(({ type, data }) => type === 'message' && data && !isJson(data)) ? unreadable : lost
  // Only a legacy server can be asked to go on, and only if it still knows the stream.
  if (script.era === 'modern' || lastEventId === '' || script.fault === 'restart') return { call: missing }
  const all = readEvents(replyEvents(reply(script)).join(''))
  return { call: resultOf([...events, ...all.events.slice(Number(lastEventId.split('-')[1]))]) ?? missing }
}

/** The call's result, if its reply is among the events. */
function resultOf(events: StreamEvent[]): Outcome | undefined {
  const messages = events.filter(({ type, data }) => type === 'message' && isJson(data)).map(({ data }) => data)
  const at = messages.findIndex((data) => data.includes('"result"'))
  return at < 0 ? undefined : result(at)
}

const result = (progress: number): Outcome => ({ text: resultText(keys.call), progress })

const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes)

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
