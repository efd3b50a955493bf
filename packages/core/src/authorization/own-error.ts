import { type ErrorDetails, errorClasses, McpError } from '../errors.js'

/** The same error as one of its own: each of several who wait for one thing fills in what its own request was about. */
export function ownError(error: unknown, details: ErrorDetails = {}): unknown {
  if (!McpError.is(error)) return error
  const { message, code, data, cause } = error
  return new errorClasses[code](message, { data: { ...data, ...details }, cause })
}
