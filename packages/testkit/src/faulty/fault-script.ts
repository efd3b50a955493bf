import type { Era } from '@x/core'

/**
 * How the reply to a call is sent: as JSON with a length or in chunks; as an event stream in chunks, until the connection
 * closes, or with event ids, after which a legacy server can be asked to go on.
 */
export const replyForms = ['json', 'json-chunked', 'sse', 'sse-until-close', 'sse-ids'] as const
export type ReplyForm = (typeof replyForms)[number]

/**
 * `cut` closes the connection; `stall` sends nothing more; `garble` makes one byte zero and goes on; `restart` forgets
 * every session and stream, closes every connection, and listens again on the same port.
 */
export const faults = ['cut', 'stall', 'garble', 'restart'] as const
export type Fault = (typeof faults)[number]

/** What happens in the response to a call. */
export interface FaultScript {
  era: Era
  form: ReplyForm
  fault: Fault | 'none'
  /** Bytes of the response, its head included, that go out before the fault. */
  offset: number
}

/** A call that goes well. */
export const healthy = (era: Era, form: ReplyForm): FaultScript => ({ era, form, fault: 'none', offset: 0 })

/** A script in one line, such as `legacy/sse-ids/cut@57`. */
export const toLine = ({ era, form, fault, offset }: FaultScript): string => `${era}/${form}/${fault}@${offset}`
