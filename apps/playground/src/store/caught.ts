import { type ErrorData, McpError } from '@x/web'

const deepestCause = 4

/** What was thrown, as plain data for the views. */
export function toErrorData(thrown: unknown, depth = 0): ErrorData {
  if (!(thrown instanceof Error) && !McpError.is(thrown)) return { name: 'Error', message: String(thrown) }
  const { name, message, cause } = thrown
  const error: ErrorData = { name, message }
  if (McpError.is(thrown)) {
    error.code = thrown.code
    error.data = thrown.data
  }
  if (cause !== undefined && depth < deepestCause) error.cause = toErrorData(cause, depth + 1)
  return error
}
