import type { ContractPath } from './contract-path.js'

function straight(name: 'direct' | 'stdio'): ContractPath {
  return {
    name,
    start: async () => ({
      target: ({ url, deadUrl }, era, serverEra) => ({
        path: name,
        era,
        serverEra,
        server: { url: `${url}/${serverEra}/mcp` },
        deadUrl,
      }),
      verify() {},
      async stop() {},
    }),
  }
}

/** Nothing in between. */
export const direct = straight('direct')
/** Nothing in between but pipes. */
export const pipes = straight('stdio')
