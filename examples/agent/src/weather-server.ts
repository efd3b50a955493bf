import type { AddressInfo } from 'node:net'
import { serve } from '@hono/node-server'
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server'
import { z } from 'zod'

const forecasts: Record<string, { summary: string; degrees: number }> = {
  Oslo: { summary: 'rain', degrees: 7 },
  Lisbon: { summary: 'sun', degrees: 24 },
}

export interface WeatherServer {
  url: string
  close(): Promise<void>
}

/**
 * A server that is reached by HTTP, on loopback, and wants a bearer token.
 *
 * @param token - The one that it takes.
 */
export async function startWeatherServer(token: string): Promise<WeatherServer> {
  const handler = createMcpHandler(() => {
    const server = new McpServer({ name: 'weather', version: '1.0.0' })
    server.registerTool(
      'get_forecast',
      { description: "Today's weather in a city.", inputSchema: z.object({ city: z.string() }) },
      async ({ city }) => {
        const forecast = Object.hasOwn(forecasts, city) ? forecasts[city] : undefined
        if (!forecast) return { isError: true, content: [{ type: 'text', text: `There is no forecast for ${city}` }] }
        return { content: [{ type: 'text', text: JSON.stringify(forecast) }] }
      },
    )
    return server
  })
  const fetch = (request: Request) =>
    request.headers.get('authorization') === `Bearer ${token}`
      ? handler.fetch(request)
      : new Response('Who are you?', { status: 401, headers: { 'www-authenticate': 'Bearer' } })
  const { server, port } = await new Promise<{ server: ReturnType<typeof serve>; port: number }>((resolve) => {
    const server = serve({ fetch, hostname: '127.0.0.1', port: 0 }, ({ port }: AddressInfo) =>
      resolve({ server, port }),
    )
  })
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    close: () => new Promise((resolve, reject) => server.close((error) => (error ? reject(error) : resolve()))),
  }
}
