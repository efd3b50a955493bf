/** The client of the SDK's maintenance line, for tests of what it does otherwise. */
export { Client } from '@modelcontextprotocol/sdk/client/index.js'
