import { fileURLToPath } from 'node:url'
import * as core from '@x/core'
import { toTools } from '@x/core/ai-sdk'
import { createHostFrom } from '@x/core/client'
import { connect } from '@x/core/stdio'
import { type ContractHost, runHere } from './contract-host.js'

const bridge = fileURLToPath(new URL('stdio-bridge.mjs', import.meta.url))
const realm = 'child process'

/** Core in this process, which starts a process for each connection: the contract's server as a local one. */
export const stdio: ContractHost = {
  start: async () => runHere({ api: { ...core, toTools }, realm, createHost }),
}

function createHost(): core.Host {
  const open = new Set<core.McpClient>()
  return createHostFrom({
    async open(config, options, name) {
      // What concerns HTTP is refused, as it should be: cases about it have no place here.
      const { url, ...settings } = config
      const era = url.includes('/modern/') ? 'modern' : 'legacy'
      const client = await connect(
        {
          command: process.execPath,
          args: [bridge, url, era, realm],
          name: name ?? url,
          // A server that is not asked for a revision is not asked for this one first.
          ...(era === 'modern' && { protocolVersion: '2026-07-28' }),
          ...settings,
        },
        options,
      )
      open.add(client)
      return client
    },
    async signOut() {},
    async close() {
      await Promise.all([...open].map((client) => client.close()))
    },
    setTimer(ms, run) {
      const timer = setTimeout(run, ms)
      return () => clearTimeout(timer)
    },
  })
}
