// A lost connection that somebody listens to comes back by itself.
import { describe, expect, test } from 'vitest'
import type { ConnectionEvent, McpConnection } from '../../src/connection.js'
import { encode, eventStreamType } from '../support/byte-source.js'
import { failOnUnhandled } from '../support/no-unhandled.js'
import { open } from '../support/open.js'
import { connectionRefused } from '../support/scripted-fetch.js'
import { sessionServer } from '../support/session-server.js'

failOnUnhandled()

const settle = async () => {
  for (let turn = 0; turn < 30; turn++) await new Promise(setImmediate)
}

function watch(connection: McpConnection): ConnectionEvent[] {
  const events: ConnectionEvent[] = []
  connection.listen({ state: true }, (event) => events.push(event))
  return events
}

describe('for who listens', () => {
  /** A session server with an event stream that it can cut. */
  function streaming() {
    let cut = () => {}
    let streams = 0
    const server = sessionServer({
      GET() {
        streams++
        const body = new ReadableStream({
          start(controller) {
            controller.enqueue(encode(': hello\n\n'))
            cut = () => controller.error(new TypeError('terminated'))
          },
        })
        return new Response(body, { headers: eventStreamType })
      },
    })
    return { server, cut: () => cut(), streams: () => streams }
  }

  test('a stream that is not found again shows that the session is lost: another begins, and its stream', async () => {
    const { server, cut, streams } = streaming()
    const { opening, timers } = open(server.answer)
    const connection = await opening
    const events = watch(connection)
    connection.listen({ lists: true }, () => {})
    await settle()
    expect(streams()).toBe(1)
    server.forget()
    cut()
    await settle()
    timers.advance(2_000)
    await settle()
    expect([server.sessions, streams()]).toEqual([2, 2])
    expect(events.map((event) => (event.type === 'state' ? event.state.status : event.type))).toEqual([
      'recovering',
      'ready',
      'session-renewed',
    ])
    await connection.close()
    expect(timers.pending()).toBe(0)
  })

  test('a lost connection is tried again ever more slowly, and at once on waking', async () => {
    let wake = () => {}
    let isDown = false
    let attempts = 0
    const { server, cut, streams } = streaming()
    const { opening, timers } = open(
      (sent) => {
        if (!isDown || sent.body?.method !== 'initialize') return server.answer(sent)
        attempts++
        return Promise.reject(connectionRefused())
      },
      {
        runtime: {
          wake(listener) {
            wake = listener
            return () => {
              wake = () => {
                throw new Error('told after the close')
              }
            }
          },
        },
      },
    )
    const connection = await opening
    connection.listen({ lists: true }, () => {})
    await settle()
    server.forget()
    isDown = true
    cut()
    const pass = async (ms: number) => {
      timers.advance(ms)
      await settle()
    }
    await settle()
    await pass(2_000)
    expect(attempts).toBe(1)
    for (let second = 0; second < 300; second++) await pass(1_000)
    const slow = attempts
    expect(slow).toBeGreaterThan(8)
    expect(slow).toBeLessThan(20)
    isDown = false
    wake()
    await settle()
    expect([server.sessions, streams(), connection.state.status]).toEqual([2, 2, 'ready'])
    await connection.close()
    expect(timers.pending()).toBe(0)
    expect(wake).toThrow('told after the close')
  })

  test('and for nobody else: without a listener nothing is sent until the next call', async () => {
    const server = sessionServer()
    const { opening, sent, timers } = open(server.answer)
    const connection = await opening
    server.forget()
    const before = sent.length
    for (let minute = 0; minute < 10; minute++) {
      timers.advance(60_000)
      await settle()
    }
    expect([sent.length, timers.pending()]).toEqual([before, 0])
    expect(await connection.request('tools/call', { name: 'pay' })).toMatchObject({ content: [{ text: 'pay' }] })
  })
})
