import { mkdtemp, rm } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect } from '@x/edge'
import { createServer, type InlineConfig, type PreviewServer, preview, type ViteDevServer } from 'vite'
import { expect, it, onTestFinished } from 'vitest'
import { gateway } from '../../gateway/vite-plugin.js'
import { exchange } from '../demo/plain-exchange.js'
import { runDemo } from '../demo/running-demo.js'
import { token } from './running-gateway.js'

const starts: Record<string, (config: InlineConfig) => Promise<ViteDevServer | PreviewServer>> = {
  development: async (config) => (await createServer(config)).listen(),
  preview,
}

it.each(Object.entries(starts))('serves the gateway on the %s server, to no other page', async (_name, start) => {
  const root = await mkdtemp(join(tmpdir(), 'gateway-'))
  onTestFinished(() => rm(root, { recursive: true }))
  const demo = await runDemo()
  const listen = { host: '127.0.0.1', port: 0 }
  const server = await start({
    root,
    configFile: false,
    logLevel: 'silent',
    plugins: [gateway({ token, servers: { demo: { title: 'A demo', config: { url: demo.url.href } } } })],
    server: listen,
    preview: listen,
  })
  onTestFinished(() => server.close())
  const { port } = server.httpServer!.address() as AddressInfo
  const url = `http://127.0.0.1:${port}/gateway/servers/demo/mcp`

  const client = await connect({ url, auth: { type: 'bearer', token } })
  expect((await client.callTool('echo', { message: 'hello' })).content).toMatchObject([{ text: 'hello' }])
  await client.close()

  const asked = { origin: 'http://localhost:1', 'access-control-request-method': 'POST' }
  const { response } = await exchange(new URL(url), 'OPTIONS', asked)
  expect(response.statusCode).toBe(403)
  expect(response.headers['access-control-allow-origin']).toBeUndefined()
})
