import type { Plugin } from 'vite'
import { createGatewayListener, type GatewaySetup, gatewayPath } from './gateway-listener.js'

/**
 * Serves the gateway at `/gateway` on Vite's development and preview servers, at the page's own port.
 *
 * @throws {ConfigError} `ERR_MCP_CONFIG` for a server that the gateway does not take.
 */
export function gateway(setup: GatewaySetup): Plugin {
  const listener = createGatewayListener(setup)
  return {
    name: 'playground:gateway',
    // Vite itself would allow the preflights of all pages on this machine.
    config: () => ({ server: { cors: false }, preview: { cors: false } }),
    configureServer: ({ middlewares }) => void middlewares.use(gatewayPath, listener),
    configurePreviewServer: ({ middlewares }) => void middlewares.use(gatewayPath, listener),
  }
}
