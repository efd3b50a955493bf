/** The client of the SDK's maintenance line, for tests of what it does otherwise, and of servers that it has to understand. */
export { Client } from '@modelcontextprotocol/sdk/client/index.js'
export { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
export { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js'
