import type { ContractPath } from './contract-path.js'

/** Nothing in between. */
export const direct: ContractPath = {
  name: 'direct',
  start: async () => ({
    target: ({ url, deadUrl }, era, serverEra) => ({
      path: 'direct',
      era,
      serverEra,
      server: { url: `${url}/${serverEra}/mcp` },
      deadUrl,
    }),
    verify() {},
    async stop() {},
  }),
}
