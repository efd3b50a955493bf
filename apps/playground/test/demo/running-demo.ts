import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import { createDemoServer, type DemoEvent, type DemoServer, type DemoServerOptions } from '../../demo/demo-server.js'

export interface RunningDemo {
  url: URL
  demo: DemoServer
  /** Everything the server logged so far. */
  events: DemoEvent[]
  /** The first event that has all of these fields, logged already or in the future. */
  event(fields: Partial<Record<string, unknown>>): Promise<DemoEvent>
}

/** Serves a demo server on a free loopback port until the test ends. */
export async function runDemo(options: DemoServerOptions = {}): Promise<RunningDemo> {
  const events: DemoEvent[] = []
  const waiting = new Set<() => void>()
  const demo = createDemoServer({
    ...options,
    onEvent(event) {
      events.push(event)
      for (const look of waiting) look()
    },
  })
  const server = createServer((request, response) => void demo.handle(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(async () => {
    await demo.close()
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })

  function event(fields: Partial<Record<string, unknown>>): Promise<DemoEvent> {
    const matches = (candidate: DemoEvent) =>
      Object.entries(fields).every(([key, value]) => new Map(Object.entries(candidate)).get(key) === value)
    return new Promise((resolve) => {
      const look = () => {
        const found = events.find(matches)
        if (!found) return
        waiting.delete(look)
        resolve(found)
      }
      waiting.add(look)
      look()
    })
  }

  const { port } = server.address() as AddressInfo
  return { url: new URL(`http://127.0.0.1:${port}/demo/mcp`), demo, events, event }
}
