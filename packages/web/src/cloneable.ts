import { ConfigError } from '@x/core/client'

/**
 * Posts data to the worker. What can't be cloned is either a framework's proxy around plain data, which is posted as its
 * JSON; or a function, a promise or the like, and the error says where it stands.
 *
 * @param post - Rejects with a `DataCloneError` if, and only if, nothing was posted.
 * @throws {ConfigError} `ERR_MCP_CONFIG`; `data.key` is the path.
 */
export async function postCloneable<Data extends object, Value>(
  data: Data,
  post: (data: Data) => Promise<Value>,
): Promise<Value> {
  try {
    return await post(data)
  } catch (error) {
    // Of this realm, so it is the posting that failed: what a worker throws arrives as a plain Error.
    if (!(error instanceof DOMException) || error.name !== 'DataCloneError') throw error
    // Seldom needed, and not for the page to carry.
    const { toPlain } = await import('./plain-data.js')
    const made = toPlain(data)
    if ('plain' in made) return post(made.plain)
    throw new ConfigError(made.message, { cause: error, data: made.data })
  }
}
