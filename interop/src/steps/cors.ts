import { McpError, type ServerConfig } from '@x/core'
import type { Connect } from './step.js'

/** In a page: a server that knows no CORS is refused with words that name it. It also shows that CORS is on here. */
export const refusedWithoutCors = {
  name: 'refused without CORS',
  async run(config: ServerConfig, connect: Connect): Promise<void> {
    const error = await connect(config, {}).then(
      async (client) => {
        await client.close()
      },
      (reason: unknown) => reason,
    )
    if (!McpError.is(error)) throw new Error(`a page connects to a server without CORS: ${String(error)}`)
    if (error.code !== 'ERR_MCP_CORS') throw new Error(`${error.code} instead of ERR_MCP_CORS: ${error.message}`)
  },
}
