import { McpError } from '../../src/errors.js'

/** What a promise is rejected with; fails when it is fulfilled. */
export function rejection(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    (value) => {
      throw new Error(`it was fulfilled with ${JSON.stringify(value)}`)
    },
    (error) => error,
  )
}

/** The same, as one of our errors. */
export async function mcpRejection(promise: Promise<unknown>): Promise<McpError> {
  const error = await rejection(promise)
  if (!McpError.is(error)) throw new Error(`it is no McpError: ${error}`, { cause: error })
  return error
}
