import type { ConnectOptions, ServerConfig } from '../src/config.js'
import type { McpConnection } from '../src/connection.js'
import { ConnectError, type McpError } from '../src/errors.js'
import { type ConnectAllOptions, createToolset, type Toolset } from '../src/toolset/toolset.js'
import type { FakeServer } from './fake-server.js'

export interface Opened {
  config: ServerConfig
  options: ConnectOptions
  name: string
}

/** A set whose servers are found by the host of their URL. */
export function createSet(
  servers: Record<string, FakeServer | (() => Promise<McpConnection>)>,
  options?: ConnectAllOptions,
) {
  const opened: Opened[] = []
  const toolset = createToolset(async (config, hooks, name) => {
    opened.push({ config, options: hooks, name })
    const server = servers[new URL(config.url).hostname]
    if (!server) throw new ConnectError('No server answers there')
    return typeof server === 'function' ? server() : server.connection
  }, options)
  return { toolset, opened }
}

export const namesOf = (toolset: Toolset) => toolset.tools.map(({ name }) => name)
export const url = (host: string) => `https://${host}/mcp`

export function nextChange(toolset: Toolset): Promise<void> {
  return new Promise((resolve) => {
    const stop = toolset.subscribe(() => {
      stop()
      resolve()
    })
  })
}

/** What a function throws. */
export function thrown(run: () => unknown): McpError {
  try {
    run()
  } catch (error) {
    return error as McpError
  }
  throw new Error('nothing was thrown')
}
