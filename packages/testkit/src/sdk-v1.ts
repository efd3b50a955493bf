/** The SDK's maintenance line, for tests of what it does otherwise. */
export { Client } from '@modelcontextprotocol/sdk/client/index.js'
export { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
