import { ConfigError } from '@x/core/client'

/**
 * Runs a call whose arguments are to cross to the worker. What can't be cloned is either a framework's proxy around plain
 * data, which is sent as its JSON; or a function or the like, and the error says where it stands.
 *
 * @throws {ConfigError} `ERR_MCP_CONFIG`; `data.key` is the path.
 */
export async function withCloneable<Data, Value>(data: Data, run: (data: Data) => Promise<Value>): Promise<Value> {
  try {
    return await run(data)
  } catch (error) {
    if ((error as Error).name !== 'DataCloneError') throw error
    const path = findUncloneable(data)
    if (path !== undefined)
      throw new ConfigError(`${path} can't be sent to the worker: only plain data can`, {
        cause: error,
        data: { key: path },
      })
    return run(JSON.parse(JSON.stringify(data)))
  }
}

function findUncloneable(value: unknown, path = '', seen = new Set<unknown>()): string | undefined {
  if (typeof value === 'function' || typeof value === 'symbol') return path
  if (typeof value !== 'object' || value === null || seen.has(value)) return undefined
  seen.add(value)
  for (const [key, item] of Object.entries(value)) {
    const found = findUncloneable(item, path ? `${path}.${key}` : key, seen)
    if (found !== undefined) return found
  }
  return undefined
}
