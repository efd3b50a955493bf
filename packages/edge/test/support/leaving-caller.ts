import { request } from 'node:http'
import type { Socket } from 'node:net'
import { type RunningGateway, tokens } from './start-gateway.js'

/**
 * Sends a request whose caller leaves. By a reset of the connection: that workerd notices at once, an orderly end only
 * when it next writes; Cloudflare's network tells it either way.
 */
export function sendAndLeave(
  gateway: RunningGateway,
  path: string,
  { method, headers, body }: { method: string; headers: Record<string, string>; body?: string },
): { begun: Promise<void>; leave(): void } {
  let socket: Socket | undefined
  const begun = new Promise<void>((resolve) => {
    const sent = request(gateway.url + path, { method, headers: { authorization: `Bearer ${tokens.ada}`, ...headers } })
    sent.on('socket', (connected) => {
      socket = connected
    })
    sent.on('response', (response) => {
      response.on('error', () => {})
      response.once('data', () => resolve())
    })
    sent.on('error', () => {})
    sent.end(body)
  })
  return { begun, leave: () => void socket?.resetAndDestroy() }
}
