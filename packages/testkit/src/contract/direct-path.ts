import type { Era } from '@x/core'
import type { ContractServer } from './server.js'

/** How a client gets to the contract's server. */
export interface ContractPath {
  /** The endpoint that the client is given. */
  open(server: ContractServer, era: Era): Promise<{ url: string; close(): Promise<void> }>
}

/** Nothing in between. */
export const directPath: ContractPath = {
  open: async (server, era) => ({ url: `${server.url}/${era}/mcp`, close: async () => {} }),
}
