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
    return post(toPlain(data, error))
  }
}

function toPlain<Data>(data: Data, cause: unknown): Data {
  let path: string | undefined
  try {
    path = findUncloneable(data)
    if (path === undefined) return JSON.parse(JSON.stringify(data))
  } catch {
    // A ring, or too deep.
  }
  throw new ConfigError(`${path ?? 'What was given'} can't be sent to the worker: only plain data can`, {
    cause,
    ...(path !== undefined && { data: { key: path } }),
  })
}

/** Where the first value stands that is neither plain data nor can be cloned by itself. */
function findUncloneable(value: unknown, path = '', seen = new Set<unknown>()): string | undefined {
  if (typeof value !== 'object' || value === null) {
    return typeof value === 'function' || typeof value === 'symbol' ? path : undefined
  }
  if (seen.has(value)) return undefined
  seen.add(value)
  if (!isPlain(value)) return canClone(value) ? undefined : path
  for (const [key, item] of Object.entries(value)) {
    const found = findUncloneable(item, path ? `${path}.${key}` : key, seen)
    if (found !== undefined) return found
  }
  return undefined
}

/** An object or a list; also behind a framework's proxy. */
function isPlain(value: object): boolean {
  if (Array.isArray(value)) return true
  const prototype = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

function canClone(value: unknown): boolean {
  try {
    structuredClone(value)
    return true
  } catch {
    return false
  }
}
