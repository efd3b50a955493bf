import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { test as base } from '@playwright/test'
import { preview } from 'vite'

export { expect } from '@playwright/test'

/** The playground as `npm start` serves it, in a process of its own. */
export interface StartedPlayground {
  /** The URL that it printed, with the gateway's token in the fragment. */
  url: string
  /** `http://127.0.0.1:PORT` */
  origin: string
  token: string
}

interface PerTest {
  /** Starts another one, before the servers of this file; it ends with the test. */
  startPlayground: (configFile: string) => Promise<StartedPlayground>
  /** What went wrong in the page and its workers so far: console errors, uncaught errors, policy violations. */
  problems: string[]
}

interface PerWorker {
  /** The playground as `npm start` serves it, before its default server. */
  started: StartedPlayground
  /** The built playground with its demo server; ends in a slash. */
  playground: string
  /** The MCP endpoint of `@modelcontextprotocol/server-everything`, over Streamable HTTP. */
  everything: string
}

export const test = base.extend<PerTest, PerWorker>({
  problems: [
    async ({ page }, use) => {
      const problems: string[] = []
      // Playwright reports the console of a page's workers as the page's.
      page.on('console', (message) => message.type() === 'error' && problems.push(message.text()))
      page.on('pageerror', (error) => problems.push(String(error)))
      await page.addInitScript(reportViolations)
      // Chromium writes a page's violations to its console by itself, but not those of a worker's script.
      page.on('worker', (worker) => worker.evaluate(reportViolations).catch(() => {}))
      // A worker from a Blob may be faster than that.
      await page.addInitScript((first) => {
        window.Blob = class extends Blob {
          constructor(parts: BlobPart[] = [], options?: BlobPropertyBag) {
            super(options?.type === 'text/javascript' ? [first, ...parts] : parts, options)
          }
        }
      }, `(${reportViolations})();`)
      await use(problems)
    },
    { auto: true },
  ],
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads a fixture's needs off its first parameter.
  startPlayground: async ({}, use) => {
    const stops: (() => Promise<unknown>)[] = []
    await use(async (configFile) => {
      const { stop, ...started } = await startPlayground(['--config', configFile])
      stops.push(stop)
      return started
    })
    await Promise.all(stops.map((stop) => stop()))
  },
  started: [
    // biome-ignore lint/correctness/noEmptyPattern: as above.
    async ({}, use) => {
      const { stop, ...started } = await startPlayground()
      await use(started)
      await stop()
    },
    { scope: 'worker' },
  ],
  playground: [
    // biome-ignore lint/correctness/noEmptyPattern: as above.
    async ({}, use) => {
      const root = fileURLToPath(new URL('../../apps/playground', import.meta.url))
      const server = await preview({ root, logLevel: 'warn', preview: { host: '127.0.0.1', port: 0, open: false } })
      await use(server.resolvedUrls!.local[0]!)
      await server.close()
    },
    { scope: 'worker' },
  ],
  everything: [
    // biome-ignore lint/correctness/noEmptyPattern: as above.
    async ({}, use) => {
      const script = new URL('../node_modules/@modelcontextprotocol/server-everything/dist/index.js', import.meta.url)
      const port = await freePort()
      const server = spawn(process.execPath, [fileURLToPath(script), 'streamableHttp'], {
        env: { ...process.env, PORT: String(port) },
        stdio: ['ignore', 'ignore', 'pipe'],
      })
      const exited = once(server, 'exit')
      await firstLine(server.stderr, 'listening')
      // Read on, or the server blocks once the pipe is full.
      server.stderr.resume()
      await use(`http://127.0.0.1:${port}/mcp`)
      server.kill()
      await exited
    },
    { scope: 'worker' },
  ],
})

async function startPlayground(args: string[] = []): Promise<StartedPlayground & { stop(): Promise<unknown> }> {
  const script = fileURLToPath(new URL('../../scripts/run.mjs', import.meta.url))
  const server = spawn(process.execPath, [script, 'start', ...args], {
    env: { ...process.env, PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const exited = once(server, 'exit')
  const line = await firstLine(server.stdout, 'Playground: ')
  server.stdout.resume()
  const url = new URL(/http:\S+/.exec(line)![0])
  return {
    url: url.href,
    origin: url.origin,
    token: new URLSearchParams(url.hash.slice(1)).get('token')!,
    stop() {
      server.kill()
      return exited
    },
  }
}

/** Runs in pages and workers. */
function reportViolations(): void {
  addEventListener('securitypolicyviolation', (event) =>
    console.error(`securitypolicyviolation: ${event.effectiveDirective} blocked ${event.blockedURI}`),
  )
}

/** Waits for a line that holds `text`, and returns it. */
async function firstLine(stream: Readable, text: string): Promise<string> {
  const said: string[] = []
  for await (const line of createInterface(stream)) {
    if (line.includes(text)) return line
    said.push(line)
  }
  throw new Error(`the server ended: ${said.join('\n')}`)
}

/** A port that nobody listens on. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  await once(server, 'close')
  return port
}
