// HTTP+SSE whose stream looks alive, while the server has long forgotten whose it is.
import { expect, test } from 'vitest'
import { failOnUnhandled } from '../support/no-unhandled.js'
import { open } from '../support/open.js'
import { sseReplies, sseServer } from '../support/sse-server.js'

failOnUnhandled()

test.each([
  [404, 'Could not find session'],
  [400, 'No transport found for sessionId'],
])('a POST refused by %i for its session brings a new stream, and the call runs once', async (status, text) => {
  let streams = 0
  let isForgotten = false
  let runs = 0
  const server = sseServer(
    sseReplies({
      'tools/call'(sent) {
        if (isForgotten) return new Response(text, { status })
        runs++
        return { jsonrpc: '2.0', id: sent.body?.id, result: { content: [] } }
      },
    }),
  )
  const { opening } = open(
    (sent) => {
      if (sent.method === 'GET') {
        streams++
        isForgotten = false
      }
      return server.answer(sent)
    },
    { config: { transport: 'sse' } },
  )
  const connection = await opening
  isForgotten = true
  expect(await connection.request('tools/call', { name: 'pay' })).toMatchObject({ content: [] })
  expect([streams, runs]).toEqual([2, 1])
  await connection.close()
})
