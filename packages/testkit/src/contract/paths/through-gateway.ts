import type { ServerConfig } from '@x/core'
import { bundleRealm } from '../bundle-realm.js'
import type { PathName } from '../contract-case.js'
import { credentials, serverName } from '../fixtures.js'
import { startWorkerd } from '../start-workerd.js'
import type { ContractPath } from './contract-path.js'
import { startNetworkFront } from './network-front.js'

/** A gateway in workerd and its own endpoint, at which the server's tools are. */
export const gateway = throughGateway('gateway', '/mcp')

/** A gateway in workerd and its endpoint of the contract's server. */
export const passthrough = throughGateway('passthrough', `/servers/${serverName}/mcp`)

function throughGateway(path: PathName, endpoint: string): ContractPath {
  return {
    name: path,
    async start() {
      // By the flag a Worker is told that its caller has left.
      const worker = await startWorkerd(await bundleRealm('gateway-worker', 'workerd'), ['enable_request_signal'])
      const front = await startNetworkFront(worker.url)
      return {
        target({ url, deadUrl }, era, serverEra) {
          const server: ServerConfig = {
            url: `${front.url}/${new URL(url).port}/${serverEra}${endpoint}`,
            auth: { type: 'bearer', token: credentials.bearer },
            // The gateway's own endpoint speaks both, whatever the server behind it does.
            ...(path === 'gateway' && era === 'legacy' && { protocolVersion: '2025-11-25' }),
          }
          return { path, era, serverEra, server, deadUrl }
        },
        verify: worker.verify,
        async stop() {
          await front.close()
          await worker.stop()
        },
      }
    },
  }
}
