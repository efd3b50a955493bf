import { HttpError } from '../errors.js'
import type { Refusal } from './refusal.js'

const methodNotFound = -32601
/** Codes that blame the request itself, whatever their text says of sessions. */
const requestFaults = new Set([methodNotFound, -32002, -32602, -32700, -32020, -32021, -32022, -32042])

/** 404 says that the session is unknown; some servers answer 400, and only their words tell. */
export function blamesSession(status: number, { reply, text = '' }: Partial<Refusal> = {}): boolean {
  if (reply?.error && requestFaults.has(reply.error.code)) return false
  return status === 404 || (status === 400 && /session/i.test(reply?.error ? reply.error.message : text))
}

export function sessionLost(status: number): HttpError {
  return new HttpError(
    `The server no longer knows this session (${status}): it restarted or the session expired; connect again`,
    { data: { status, reason: 'session' } },
  )
}
