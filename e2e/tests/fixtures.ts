import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { test as base } from '@playwright/test'
import { preview } from 'vite'

export { expect } from '@playwright/test'

interface PerTest {
  /** What went wrong in the page and its workers so far: console errors, uncaught errors, policy violations. */
  problems: string[]
}

interface PerWorker {
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
  playground: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads a fixture's needs off its first parameter.
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

/** Runs in pages and workers. */
function reportViolations(): void {
  addEventListener('securitypolicyviolation', (event) =>
    console.error(`securitypolicyviolation: ${event.effectiveDirective} blocked ${event.blockedURI}`),
  )
}

/** Waits for a line that holds `text`. */
async function firstLine(stream: Readable, text: string): Promise<void> {
  const said: string[] = []
  for await (const line of createInterface(stream)) {
    if (line.includes(text)) return
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
