// mcp-framework: transports of its own, over Streamable HTTP or, asked for by the argument, HTTP+SSE. It takes its parts
// from the folders beside this file.
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { MCPServer } from 'mcp-framework'

const basePath = path.dirname(fileURLToPath(import.meta.url))
const transport = { type: process.argv[2], options: { port: 1 } }
await new MCPServer({ name: 'mcp-framework', version: '1.0.0', basePath, logging: true, transport }).start()
