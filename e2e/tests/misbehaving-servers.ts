import { createServer } from 'node:net'
import { flood, htmlPage } from '@x/testkit'
import { resultReply, smallServer, startOpenServer } from './small-server.js'

/** Answers each request with a web page. */
export const startHtmlServer = () => startOpenServer(() => htmlPage())

/** Fails each request. */
export const startFailingServer = () => startOpenServer(() => new Response('it broke', { status: 500 }))

/** Lets in who has the token `right`. */
export function startLockedServer() {
  const inside = smallServer((id) => resultReply(id, { content: [] }))
  return startOpenServer((request) => {
    if (request.headers.get('authorization') === 'Bearer right') return inside(request)
    return new Response(null, { status: 401, headers: { 'www-authenticate': 'Bearer error="invalid_token"' } })
  })
}

/** Answers each call with a text of so many bytes, and notes how many were taken of replies that were cut. */
export async function startFloodingServer(bytes: number) {
  const taken: number[] = []
  const server = await startOpenServer(
    smallServer((id) => flood({ bytes, id, onCancel: (count) => taken.push(count) })),
  )
  return { ...server, taken }
}

/** An endpoint on a port that nobody listens on. */
export async function deadEndpoint(): Promise<string> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/mcp`
}
