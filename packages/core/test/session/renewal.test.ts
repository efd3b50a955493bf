import { describe, expect, test } from 'vitest'
import { legacyServer, modernServer, reply } from '../support/mcp-server.js'
import { failOnUnhandled } from '../support/no-unhandled.js'
import { open } from '../support/open.js'
import { mcpRejection } from '../support/rejection.js'
import type { Sent } from '../support/scripted-fetch.js'

failOnUnhandled()

/** A server that takes one token at a time, and a hook whose second answer is given by hand. */
function setUp(server: typeof modernServer) {
  let valid = 'Bearer first'
  const check =
    (answer: (sent: Sent) => Response) =>
    (sent: Sent): Response =>
      sent.headers.get('authorization') === valid ? answer(sent) : new Response(null, { status: 401 })
  const call = check((sent) => reply(sent, { content: [{ type: 'text', text: 'done' }] }))
  let give = (_token: string) => {}
  let fail = (_error: Error) => {}
  const reasons: string[] = []
  const token = ({ reason }: { reason: string }) => {
    reasons.push(reason)
    if (reason === 'first') return Promise.resolve('first')
    return new Promise<string>((resolve, reject) => {
      give = resolve
      fail = reject
    })
  }
  const parts = open(server({ 'tools/call': call }), { config: { auth: { type: 'bearer' } }, hooks: { token } })
  return {
    ...parts,
    reasons,
    expire() {
      valid = 'Bearer second'
    },
    async asked() {
      while (reasons.length < 2) await new Promise(setImmediate)
    },
    give: (given: string) => give(given),
    fail: (error: Error) => fail(error),
  }
}

const calls = ({ sent }: { sent: Sent[] }) => sent.filter(({ body }) => body?.method === 'tools/call')

describe.each([
  ['modern', modernServer],
  ['legacy', legacyServer],
])('a token that a %s server refuses in the middle', (_era, server) => {
  test('is asked for once for all calls, however long that takes, and each is sent again', async () => {
    const parts = setUp(server)
    const connection = await parts.opening
    parts.expire()
    const options = { timeoutMs: 1_000, idleTimeoutMs: 500 }
    const calling = [1, 2, 3].map(() => connection.request('tools/call', { name: 'x' }, options))
    await parts.asked()
    // A person may be asked: that counts against no deadline.
    parts.timers.advance(3_600_000)
    parts.give('second')
    for (const result of await Promise.all(calling)) expect(result).toMatchObject({ content: [{ text: 'done' }] })
    expect(parts.reasons).toEqual(['first', 'unauthorized'])
    expect(calls(parts)).toHaveLength(6)
    await connection.close()
    expect(parts.timers.pending()).toBe(0)
  })

  test.each<[string, (parts: ReturnType<typeof setUp>) => void]>([
    ['fails', ({ fail }) => fail(new Error('locked'))],
    ['gives the same', ({ give }) => give('first')],
  ])('fails at once where the hook %s, and nothing ran', async (_what, answer) => {
    const parts = setUp(server)
    const connection = await parts.opening
    parts.expire()
    const failing = mcpRejection(connection.request('tools/call', { name: 'x' }))
    await parts.asked()
    answer(parts)
    expect(await failing).toMatchObject({ code: 'ERR_MCP_UNAUTHORIZED', data: { outcome: 'not-run', tool: 'x' } })
    expect(calls(parts)).toHaveLength(1)
    await connection.close()
  })

  test('is waited for no longer than the connection lives', async () => {
    const parts = setUp(server)
    const connection = await parts.opening
    parts.expire()
    const failing = mcpRejection(connection.request('tools/call', { name: 'x' }))
    await parts.asked()
    const closing = connection.close()
    // A session's end wants the credentials too, and has two seconds.
    parts.timers.advance(2_000)
    await closing
    expect((await failing).data.tool).toBe('x')
    expect(parts.timers.pending()).toBe(0)
  })
})

describe('a token that may do too little (403, insufficient_scope)', () => {
  const wanting = (sent: Sent) =>
    sent.headers.get('authorization') === 'Bearer wide'
      ? reply(sent, { content: [{ type: 'text', text: 'done' }] })
      : new Response(null, {
          status: 403,
          headers: { 'www-authenticate': 'Bearer error="insufficient_scope", scope="w"' },
        })

  test.each([
    ['modern', modernServer],
    ['legacy', legacyServer],
  ])('of a %s server is asked for anew, and the call sent once more', async (_era, server) => {
    const tokens = ['narrow', 'wide']
    const parts = open(server({ 'tools/call': wanting }), {
      config: { auth: { type: 'bearer' } },
      hooks: { token: async () => tokens.shift()! },
    })
    const connection = await parts.opening
    expect(await connection.request('tools/call', { name: 'pay' })).toMatchObject({ content: [{ text: 'done' }] })
    expect(calls(parts)).toHaveLength(2)
  })

  test('is the server’s answer where there is no other, as is any other 403', async () => {
    for (const [answer, sent, code] of [
      [wanting, 2, 'ERR_MCP_UNAUTHORIZED'],
      [() => new Response(null, { status: 403 }), 1, 'ERR_MCP_HTTP'],
    ] as const) {
      let asked = 0
      const parts = open(modernServer({ 'tools/call': answer }), {
        config: { auth: { type: 'bearer' } },
        hooks: { token: async () => `narrow-${asked++}` },
      })
      const connection = await parts.opening
      expect(await mcpRejection(connection.request('tools/call', { name: 'pay' }))).toMatchObject({
        code,
        data: { status: 403, outcome: 'not-run', tool: 'pay' },
      })
      expect(calls(parts)).toHaveLength(sent)
    }
  })
})
