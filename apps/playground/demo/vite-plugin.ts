import type { Connect, Plugin } from 'vite'
import { createDemoServer, type DemoServer, type DemoServerOptions } from './demo-server.js'

export interface DemoServerPluginOptions extends DemoServerOptions {
  /** Where the MCP endpoint is. Default: `/demo/mcp`. */
  path?: string
}

/** Serves the demo server on Vite's development and preview servers, and closes it with them. */
export function demoServer({ path = '/demo/mcp', ...options }: DemoServerPluginOptions = {}): Plugin {
  // On a restart Vite configures the new server before it closes the old one.
  const running: DemoServer[] = []

  function mount(middlewares: Connect.Server): void {
    const demo = createDemoServer(options)
    running.push(demo)
    middlewares.use(path, (request, response) => void demo.handle(request, response))
  }

  async function closeOldest(): Promise<void> {
    await running.shift()?.close()
  }

  return {
    name: 'playground:demo-server',
    configureServer: ({ middlewares }) => mount(middlewares),
    configurePreviewServer: ({ middlewares }) => mount(middlewares),
    closeServer: closeOldest,
    closePreviewServer: closeOldest,
  }
}
