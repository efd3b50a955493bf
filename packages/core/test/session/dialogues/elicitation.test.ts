// What a server asks a person, in both eras.
import { describe, expect, test } from 'vitest'
import type { ConnectOptions } from '../../../src/config.js'
import type { ElicitationRequest, ElicitationResult, Json } from '../../../src/protocol.js'
import { ask, heldHook, openWith } from '../../support/ask.js'
import { askingServer, eventStream, saidIn, settle } from '../../support/asking-server.js'
import { legacyServer, methodsSent, modernServer } from '../../support/mcp-server.js'
import { failOnUnhandled } from '../../support/no-unhandled.js'
import { open, url } from '../../support/open.js'
import { rejection } from '../../support/rejection.js'
import { sseReplies, sseServer } from '../../support/sse-server.js'

failOnUnhandled()

const requestedSchema = {
  type: 'object',
  properties: { name: { type: 'string' }, age: { type: 'integer', default: 30 } },
  required: ['name'],
}
const form = (params: object = {}) => ({
  method: 'elicitation/create',
  params: { message: 'Who are you?', requestedSchema, ...params },
})
const page = (target: unknown, more: object = {}) =>
  form({ mode: 'url', url: target, elicitationId: 'e1', requestedSchema: undefined, ...more })

/** Answers all alike, and keeps what it was asked. */
function answering(result: unknown): { asked: ElicitationRequest[]; elicit: NonNullable<ConnectOptions['elicit']> } {
  const asked: ElicitationRequest[] = []
  return {
    asked,
    elicit: async (request) => {
      asked.push(request)
      return result as ElicitationResult
    },
  }
}

describe.each(['modern', 'legacy'] as const)('%s', (era) => {
  test('a form reaches the hook as it is, and its answer the server, with the defaults that it lacks', async () => {
    const hooks = answering({ action: 'accept', content: { name: 'Ada' } })
    const { said, findings } = await ask(era, form({ _meta: { 'a/b': 1 } }), hooks)
    expect(hooks.asked).toEqual([
      { server: url, tool: 'ask', mode: 'form', message: 'Who are you?', requestedSchema, _meta: { 'a/b': 1 } },
    ])
    expect(said).toEqual({ result: { action: 'accept', content: { name: 'Ada', age: 30 } } })
    expect(findings).toEqual([])
  })

  test.each(['decline', 'cancel'])('the person’s %s is passed on, and nothing with it', async (action) => {
    const { said } = await ask(era, form({ mode: 'form' }), answering({ action, content: { name: 'Ada' } }))
    expect(said).toEqual({ result: { action } })
  })

  test('a URL reaches the hook whole, with its host; the answer has no content', async () => {
    const hooks = answering({ action: 'accept', content: { name: 'Ada' } })
    const { said, findings } = await ask(era, page('https://xn--pple-43d.example:8443/a?b=c#d'), hooks)
    expect(hooks.asked).toEqual([
      {
        server: url,
        tool: 'ask',
        mode: 'url',
        message: 'Who are you?',
        url: 'https://xn--pple-43d.example:8443/a?b=c#d',
        domain: 'xn--pple-43d.example:8443',
        elicitationId: 'e1',
      },
    ])
    expect(said).toEqual({ result: { action: 'accept' } })
    expect(findings).toEqual([])
  })

  test.each<[string, object, RegExp]>([
    [
      'a nested form',
      form({ requestedSchema: { type: 'object', properties: { a: { type: 'object' } } } }),
      /"a".*neither/,
    ],
    ['a form without a schema', form({ requestedSchema: undefined }), /no object with properties/],
    ['a question without a message', form({ message: undefined }), /no message/],
    ['a question of another kind', form({ mode: 'voice' }), /neither a form nor a URL/],
    ['a question without anything', { method: 'elicitation/create' }, /no message/],
    ['a URL that is none', page('nonsense'), /no URL/],
    ['a URL that is not there', page(undefined), /no URL/],
    ['http, on this machine too', page('http://localhost/a'), /https:/],
    ['a script', page('javascript:alert(1)'), /https:/],
  ])('%s is declined, unseen, and reported', async (_what, question, why) => {
    const hooks = answering({ action: 'accept' })
    const { said, findings } = await ask(era, question as ReturnType<typeof form>, hooks)
    expect(hooks.asked).toEqual([])
    expect(said).toEqual({ result: { action: 'decline' } })
    expect(findings).toEqual([{ code: 'question-refused', message: expect.stringMatching(why) }])
    expect(findings[0]?.message).toMatch(/^A question of the tool "ask" was declined: /)
  })

  test.each<[string, unknown, RegExp]>([
    ['nothing', undefined, /action/],
    ['a text', 'yes', /action/],
    ['another action', { action: 'ok' }, /action/],
    ['content that is none', { action: 'accept', content: ['Ada'] }, /no object/],
    ['content that lacks what is required', { action: 'accept' }, /"name" is required/],
    ['content that does not fit', { action: 'accept', content: { name: 'Ada', age: 1.5 } }, /"age" does not fit/],
  ])('a hook that answers %s: declined and reported, without the answer', async (_what, answer, why) => {
    const { said, findings } = await ask(era, form(), answering(answer))
    expect(said).toEqual({ result: { action: 'decline' } })
    expect(findings).toEqual([{ code: 'answer-refused', message: expect.stringMatching(why) }])
    expect(findings[0]?.message).not.toMatch(/Ada|1\.5/)
  })

  test.each<[string, () => never]>([
    [
      'throws',
      () => {
        throw new Error('no dialogue here\nat line 1')
      },
    ],
    [
      'throws no error',
      () => {
        throw 'no dialogue here'
      },
    ],
  ])('a hook that %s: declined and reported, and the session lives on', async (_how, elicit) => {
    const { call, findings } = await openWith(askingServer(era, { q: form() }), { elicit })
    for (let time = 1; time <= 2; time++) {
      expect(saidIn((await call()) as never)).toEqual({ q: { result: { action: 'decline' } } })
      expect(findings).toHaveLength(time)
      expect(findings[0]).toMatchObject({
        code: 'hook-failed',
        message: expect.stringMatching(/declined: no dialogue here$/),
      })
    }
  })

  test('a hook that throws what can’t be read: declined all the same', async () => {
    const { said, findings } = await ask(era, form(), { elicit: () => Promise.reject(Object.create(null)) })
    expect(said).toEqual({ result: { action: 'decline' } })
    expect(findings).toMatchObject([{ code: 'hook-failed' }])
  })

  test('without a hook it is not offered, and declined when asked all the same', async () => {
    const { sent, call, findings } = await openWith(askingServer(era, { q: form() }))
    expect(saidIn((await call()) as never)).toEqual({ q: { result: { action: 'decline' } } })
    expect(findings).toMatchObject([{ code: 'question-refused', message: expect.stringMatching(/no hook "elicit"/) }])
    expect(capabilitiesSent(sent)).toEqual([{}])
  })

  test('several questions of one call are put at once, and all answered', async () => {
    const names = ['a', 'b', 'c']
    const asked: string[] = []
    let allAsked = () => {}
    const all = new Promise<void>((resolve) => {
      allAsked = resolve
    })
    const elicit = async ({ message }: ElicitationRequest): Promise<ElicitationResult> => {
      asked.push(message)
      if (asked.length === names.length) allAsked()
      await all
      return { action: 'accept', content: { name: message } }
    }
    const questions = Object.fromEntries(names.map((message) => [message, form({ message })]))
    const { call } = await openWith(askingServer(era, questions), { elicit })
    const said = saidIn((await call()) as never)
    expect(asked).toEqual(names)
    for (const name of names) expect(said[name]).toEqual({ result: { action: 'accept', content: { name, age: 30 } } })
  })

  test('the time of a dialogue counts against no deadline', async () => {
    const held = heldHook<ElicitationRequest, ElicitationResult>()
    const { call, timers } = await openWith(askingServer(era, { q: form() }), { elicit: held.hook })
    const result = call({ timeoutMs: 1_000, idleTimeoutMs: 500 })
    await held.called
    timers.advance(3_600_000)
    held.answer({ action: 'cancel' })
    expect(saidIn((await result) as never)).toEqual({ q: { result: { action: 'cancel' } } })
  })

  test('a call that is aborted meanwhile rejects at once; the late answer goes nowhere, and time goes on', async () => {
    const held = heldHook<ElicitationRequest, ElicitationResult>()
    const server = askingServer(
      era,
      { q: form() },
      {
        'prompts/list': () => new Promise(() => {}),
        // The server is in no hurry to hear of it.
        'notifications/cancelled': () => new Promise(() => {}),
      },
    )
    const { connection, call, timers, sent } = await openWith(server, { elicit: held.hook })
    const abort = new AbortController()
    const result = rejection(call({ signal: abort.signal }))
    await held.called
    const reason = new Error('enough')
    abort.abort(reason)
    expect(await result).toBe(reason)
    await settle()
    const before = sent.length
    held.answer({ action: 'accept', content: { name: 'Ada' } })
    await settle()
    expect(sent).toHaveLength(before)
    const other = rejection(connection.request('prompts/list', {}, { timeoutMs: 1_000 }))
    await settle()
    timers.advance(1_000)
    expect(await other).toMatchObject({ code: 'ERR_MCP_TIMEOUT' })
  })

  test('a connection that is closed meanwhile rejects the call', async () => {
    const held = heldHook<ElicitationRequest, ElicitationResult>()
    const { connection, call, sent } = await openWith(askingServer(era, { q: form() }), { elicit: held.hook })
    const result = rejection(call())
    await held.called
    await connection.close()
    expect(await result).toMatchObject({
      data: { tool: 'ask', server: url, outcome: era === 'modern' ? 'not-run' : 'unknown' },
    })
    const before = sent.length
    held.answer({ action: 'accept', content: { name: 'Ada' } })
    await settle()
    expect(sent).toHaveLength(before)
  })
})

/** The capabilities of each handshake that hooks decide. */
function capabilitiesSent(
  sent: { body?: { method?: string; params?: { [key: string]: unknown } } | undefined }[],
): Json[] {
  const modern = 'io.modelcontextprotocol/clientCapabilities'
  const all = sent.flatMap(({ body }) => {
    const { capabilities, _meta } = body?.params ?? {}
    return body?.method === 'initialize' ? [capabilities] : _meta ? [(_meta as { [key: string]: unknown })[modern]] : []
  })
  const asked = all.map((one) => JSON.stringify({ ...(one as object), extensions: undefined }))
  return [...new Set(asked)].map((text) => JSON.parse(text))
}

describe('what is offered is what there are hooks for', () => {
  const elicit = answering({ action: 'cancel' }).elicit
  const sample = async () => ({ role: 'assistant' as const, model: 'm', content: { type: 'text' as const, text: '' } })
  const roots = async () => []
  test.each<[ConnectOptions, object]>([
    [{}, {}],
    [{ elicit }, { elicitation: { form: {}, url: {} } }],
    [{ sample }, { sampling: { tools: {} } }],
    [{ roots }, { roots: {} }],
    [
      { elicit, sample, roots },
      { elicitation: { form: {}, url: {} }, sampling: { tools: {} }, roots: {} },
    ],
  ])('%o', async (hooks, capabilities) => {
    for (const server of [modernServer(), legacyServer({ GET: () => new Response(null, { status: 405 }) })]) {
      const { connection, sent } = await openWith(server, hooks)
      await connection.request('tools/list', {})
      expect(capabilitiesSent(sent)).toEqual([capabilities])
    }
  })
})

describe('a legacy server that asks by itself', () => {
  test('is heard where there is a hook, and is answered; no tool is named', async () => {
    const stream = eventStream()
    const answers: unknown[] = []
    const hooks = answering({ action: 'accept', content: { name: 'Ada' } })
    const server = legacyServer({
      GET: () => stream.response,
      POST: ({ body }) => {
        answers.push(body)
        return new Response(null, { status: 202 })
      },
    })
    await openWith(server, hooks)
    stream.push({ jsonrpc: '2.0', id: 'q', ...form({ _meta: { '@x/core/tool': 'forged' } }) })
    await settle()
    expect(hooks.asked).toEqual([{ server: url, mode: 'form', message: 'Who are you?', requestedSchema }])
    expect(answers).toEqual([
      { jsonrpc: '2.0', id: 'q', result: { action: 'accept', content: { name: 'Ada', age: 30 } } },
    ])
  })

  test('is not listened to without a hook', async () => {
    const { opening, sent } = open(legacyServer())
    const connection = await opening
    await connection.request('tools/list', {})
    await settle()
    expect(methodsSent({ sent })).not.toContain('GET')
    await connection.close()
  })

  test('takes its question back: the answer goes nowhere', async () => {
    const stream = eventStream()
    const held = heldHook<ElicitationRequest, ElicitationResult>()
    const { sent } = await openWith(legacyServer({ GET: () => stream.response }), { elicit: held.hook })
    stream.push({ jsonrpc: '2.0', id: 7, ...form() })
    await held.called
    stream.push({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 7 } })
    await settle()
    const before = sent.length
    held.answer({ action: 'accept', content: { name: 'Ada' } })
    await settle()
    expect(sent).toHaveLength(before)
  })

  test('is asked for no other answer in its place: another method is not found', async () => {
    const stream = eventStream()
    const { sent } = await openWith(legacyServer({ GET: () => stream.response }), answering({ action: 'cancel' }))
    stream.push({ jsonrpc: '2.0', id: 'p', method: 'ping' })
    stream.push({ jsonrpc: '2.0', id: 'x', method: 'browser/open', params: { url: 'https://a.example' } })
    await settle()
    const answers = sent.filter(({ body, method }) => method === 'POST' && !body?.method).map(({ body }) => body)
    expect(answers).toEqual([
      { jsonrpc: '2.0', id: 'p', result: {} },
      { jsonrpc: '2.0', id: 'x', error: { code: -32601, message: 'Method not found' } },
    ])
  })

  test('over HTTP+SSE, at the address for messages', async () => {
    const answers: unknown[] = []
    const sse = sseServer((sent) => {
      if (sent.body?.method) return sseReplies()(sent)
      answers.push(sent.body)
      return undefined
    })
    const { findings } = await openWith(sse.answer, answering({ action: 'cancel' }), { transport: 'sse' })
    // More than may be open at once: each that is answered makes room.
    for (let id = 0; id < 150; id++) {
      sse.push(`data: ${JSON.stringify({ jsonrpc: '2.0', id, ...form() })}\n\n`)
      while (answers.length <= id && findings.length === 0) await settle()
    }
    expect(findings).toEqual([])
    expect(answers).toEqual(
      Array.from({ length: 150 }, (_, id) => ({ jsonrpc: '2.0', id, result: { action: 'cancel' } })),
    )
  })
})
