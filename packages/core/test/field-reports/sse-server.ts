import { legacyServer } from '../support/mcp-server.js'
import type { Sent } from '../support/scripted-fetch.js'
import { type OpenStream, openStream } from './wire.js'

/**
 * A server of the HTTP+SSE transport (revision 2024-11-05): its GET stream first names where to POST, then brings the
 * replies.
 *
 * @param endpoint - What the `endpoint` event names.
 */
export function sseServer(endpoint: string): { answer(sent: Sent): Promise<Response>; streams: OpenStream[] } {
  const replies = legacyServer()
  const streams: OpenStream[] = []
  return {
    streams,
    async answer(sent) {
      if (sent.method === 'GET') {
        const stream = openStream(`event: endpoint\ndata: ${endpoint}\n\n`)
        streams.push(stream)
        return stream.response
      }
      const reply = await replies(sent)
      if (reply.headers.get('content-type') === 'application/json')
        streams.at(-1)?.push(`event: message\ndata: ${await reply.text()}\n\n`)
      return new Response(null, { status: 202 })
    },
  }
}
