import { mkdtemp, rm } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createServer, type InlineConfig, type PreviewServer, preview, type ViteDevServer } from 'vite'
import { expect, it, onTestFinished } from 'vitest'
import type { DemoEvent } from '../../demo/demo-server.js'
import { demoServer } from '../../demo/vite-plugin.js'
import { connectDemo } from './demo-client.js'

const STARTS: Record<string, (config: InlineConfig) => Promise<ViteDevServer | PreviewServer>> = {
  development: async (config) => (await createServer(config)).listen(),
  preview,
}

it.each(Object.entries(STARTS))('serves both eras on the %s server and closes with it', async (_name, start) => {
  const root = await mkdtemp(join(tmpdir(), 'demo-server-'))
  onTestFinished(() => rm(root, { recursive: true }))
  const events: DemoEvent[] = []
  const listen = { host: '127.0.0.1', port: 0 }
  const server = await start({
    root,
    configFile: false,
    logLevel: 'silent',
    plugins: [demoServer({ onEvent: (event) => events.push(event) })],
    server: listen,
    preview: listen,
  })
  onTestFinished(() => server.close())
  if (!server.httpServer) throw new Error('Vite started without an HTTP server')
  const { port } = server.httpServer.address() as AddressInfo
  const url = new URL(`http://127.0.0.1:${port}/demo/mcp`)

  const modern = await connectDemo('modern', url)
  const legacy = await connectDemo('legacy', url)
  await legacy.listening()
  for (const client of [modern, legacy]) {
    const seen: number[] = []
    await client.callTool('progress', { steps: 3, delayMs: 1 }, { onProgress: ({ progress }) => seen.push(progress) })
    expect(seen).toEqual([1, 2, 3])
  }

  await server.close()
  const { sessionId } = legacy
  expect(events).toContainEqual({ type: 'session', sessionId, change: 'closed', reason: 'server-closed' })
})
