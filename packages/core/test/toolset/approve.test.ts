import { afterEach, describe, expect, test, vi } from 'vitest'
import type { KeyValueStore } from '../../src/config.js'
import type { DeniedError } from '../../src/errors.js'
import type { Json, Tool } from '../../src/protocol.js'
import type { ApprovalAnswer, PendingCall } from '../../src/toolset/approval.js'
import { localTools } from '../../src/toolset/local-tools.js'
import { createFakeServer, deferred, rejection, toolNamed } from '../fake-server.js'
import { createSet, nextChange, url } from '../fake-set.js'

type Answer = (call: PendingCall) => unknown

async function setWith(answer: Answer, more: { pins?: KeyValueStore; tool?: Tool } = {}) {
  const a = createFakeServer(more.tool ?? toolNamed('pay', { title: 'Pay', annotations: { readOnlyHint: true } }))
  const approve = vi.fn(async (call: PendingCall) => (await answer(call)) as ApprovalAnswer)
  const { toolset } = createSet({ a }, { approve, ...(more.pins && { pins: more.pins }) })
  await toolset.add('bank', url('a'))
  return { a, approve, toolset }
}

function memoryStore() {
  const kept = new Map<string, Json>()
  const store: KeyValueStore = {
    get: async (key) => structuredClone(kept.get(key)),
    set: async (key, value) => void kept.set(key, structuredClone(value)),
    delete: async (key) => void kept.delete(key),
  }
  return { kept, store }
}

describe('a call', () => {
  test('is shown whole before it is made, by name and by handle', async () => {
    const { a, approve, toolset } = await setWith(() => 'allow')
    const options = { timeoutMs: 5 }
    await toolset.call('bank__pay', { to: 'me' }, options)
    await toolset.tool('bank', 'pay').execute()
    const [[first], [second]] = approve.mock.calls as [[PendingCall], [PendingCall]]
    expect(first).toEqual({
      server: 'bank',
      name: 'bank__pay',
      title: 'Pay',
      tool: toolNamed('pay', { title: 'Pay', annotations: { readOnlyHint: true } }),
      args: { to: 'me' },
      hints: { readOnly: false, parallel: false, retry: false, destructive: true, openWorld: true },
      fingerprint: expect.stringMatching(/^[0-9a-f]{64}$/),
      signal: expect.any(AbortSignal),
    })
    expect(second.args).toEqual({})
    expect(second.fingerprint).toBe(first.fingerprint)
    expect(a.calls).toEqual([
      { name: 'pay', args: { to: 'me' }, options },
      { name: 'pay', args: {}, options: undefined },
    ])
  })

  test('of the app’s own function is asked for as well', async () => {
    const execute = vi.fn(() => 'done')
    const { toolset } = createSet({}, { approve: async () => ({ deny: 'not today' }) })
    await toolset.add('page', localTools([{ name: 'clear', inputSchema: { type: 'object' }, execute }]))
    expect(await rejection(toolset.call('page__clear'))).toMatchObject({ code: 'ERR_MCP_DENIED' })
    expect(execute).not.toHaveBeenCalled()
  })

  test('that is denied is not made, and the reason is told', async () => {
    const { a, toolset } = await setWith(() => ({ deny: 'too much money' }))
    const error = await rejection<DeniedError>(toolset.call('bank__pay', { secret: 'hunter2' }))
    expect(error).toMatchObject({
      code: 'ERR_MCP_DENIED',
      message: 'The call of "pay" on the server "bank" was denied: too much money',
      data: { server: 'bank', tool: 'pay', method: 'tools/call', outcome: 'not-run' },
    })
    expect(a.calls).toEqual([])
  })

  test('is made with the arguments of the answer, as they were then', async () => {
    const args = { to: 'you' }
    const { a, toolset } = await setWith(() => ({ args }))
    const called = toolset.call('bank__pay', { to: 'me' })
    await called
    args.to = 'nobody'
    expect(a.calls.map((call) => call.args)).toEqual([{ to: 'you' }])
  })

  test('sends what was shown, whoever changes it meanwhile', async () => {
    const answering = deferred<ApprovalAnswer>()
    const { a, approve, toolset } = await setWith(() => answering.promise)
    const args = { to: { name: 'me' } }
    const called = toolset.call('bank__pay', args)
    await vi.waitUntil(() => approve.mock.calls.length > 0)
    args.to.name = 'a thief'
    const shown = approve.mock.calls[0]![0]
    ;(shown.args as typeof args).to.name = 'another thief'
    shown.tool.name = 'steal'
    Object.assign(shown, { name: 'bank__steal' })
    answering.resolve('allow')
    await called
    expect(a.calls).toEqual([{ name: 'pay', args: { to: { name: 'me' } }, options: undefined }])
    expect(toolset.tools[0]).toMatchObject({ name: 'bank__pay', tool: { name: 'pay' } })
  })

  const noAnswers: [what: string, answer: Answer][] = [
    ['throws', () => Promise.reject(new Error('the dialog broke'))],
    [
      'throws at once',
      () => {
        throw new Error('the dialog broke')
      },
    ],
    ['says true', () => true],
    ['says nothing', () => undefined],
    ['says "ALLOW"', () => 'ALLOW'],
    ['gives a list as arguments', () => ({ args: [] })],
    ['gives no arguments', () => ({ args: null })],
    ['denies without words', () => ({ deny: true, args: {} })],
    [
      'gives a ring',
      () => {
        const args: { args?: object } = {}
        args.args = args
        return args
      },
    ],
  ]
  test.each(noAnswers)('is not made when the hook %s', async (_, answer) => {
    const { a, toolset } = await setWith(answer)
    const error = await rejection<DeniedError>(toolset.call('bank__pay'))
    expect(error).toMatchObject({ code: 'ERR_MCP_DENIED', data: { outcome: 'not-run' }, cause: expect.any(Error) })
    expect(a.calls).toEqual([])
  })

  test('with arguments that are no JSON is not asked for', async () => {
    const { a, approve, toolset } = await setWith(() => 'allow')
    const ring: { [key: string]: Json } = {}
    ring.ring = ring
    expect(await rejection(toolset.call('bank__pay', ring))).toMatchObject({ code: 'ERR_MCP_DENIED' })
    expect([approve.mock.calls, a.calls]).toEqual([[], []])
  })
})

describe('while it is asked', () => {
  async function asking() {
    const answering = deferred<ApprovalAnswer>()
    const made = await setWith(() => answering.promise)
    const waitForQuestion = () => vi.waitUntil(() => made.approve.mock.calls.length > 0)
    return { ...made, answering, waitForQuestion, question: () => made.approve.mock.calls[0]![0] }
  }

  test('an abort rejects with its reason, and the question is told', async () => {
    const { a, toolset, answering, waitForQuestion, question } = await asking()
    const abort = new AbortController()
    const called = rejection(toolset.call('bank__pay', {}, { signal: abort.signal }))
    await waitForQuestion()
    const reason = new Error('never mind')
    abort.abort(reason)
    expect(await called).toBe(reason)
    expect(question().signal.aborted).toBe(true)
    answering.resolve('allow')
    await answering.promise
    expect(a.calls).toEqual([])
  })

  test('a call that was aborted before asks nobody', async () => {
    const { approve, toolset } = await asking()
    const reason = new Error('never mind')
    expect(await rejection(toolset.call('bank__pay', {}, { signal: AbortSignal.abort(reason) }))).toBe(reason)
    // Whatever was under way is done once another call has been asked for.
    void rejection(toolset.call('bank__pay', { second: true }))
    await vi.waitUntil(() => approve.mock.calls.length > 0)
    expect(approve.mock.calls.map(([call]) => call.args)).toEqual([{ second: true }])
  })

  test('a server that leaves ends the waiting', async () => {
    const { a, toolset, waitForQuestion, question } = await asking()
    const called = rejection(toolset.call('bank__pay'))
    await waitForQuestion()
    await toolset.remove('bank')
    expect(await called).toMatchObject({
      code: 'ERR_MCP_DISCONNECTED',
      data: { server: 'bank', tool: 'pay', outcome: 'not-run' },
    })
    expect(question().signal.aborted).toBe(true)
    expect(a.calls).toEqual([])
  })

  test('a tool that changes is not called: another one was approved', async () => {
    const { a, toolset, answering, waitForQuestion } = await asking()
    const called = rejection(toolset.call('bank__pay'))
    await waitForQuestion()
    a.list = () => [toolNamed('pay', { description: 'Pays, and tells everybody' })]
    const changed = nextChange(toolset)
    a.emit({ type: 'list-changed', list: 'tools' })
    await changed
    answering.resolve('allow')
    expect(await called).toMatchObject({ code: 'ERR_MCP_DENIED', message: expect.stringContaining('was changed') })
    expect(a.calls).toEqual([])
  })

  test('a list that is the same again changes nothing', async () => {
    const { a, toolset, answering, waitForQuestion } = await asking()
    const called = toolset.call('bank__pay')
    await waitForQuestion()
    await toolset.refresh()
    answering.resolve('allow')
    await called
    expect(a.calls).toHaveLength(1)
  })

  test('nor one that changes while it is compared', async () => {
    const { a, toolset, answering, waitForQuestion } = await asking()
    const called = rejection(toolset.call('bank__pay'))
    await waitForQuestion()
    // Another list, and the same tool: that has to be found out.
    await toolset.refresh()
    const digest = vi.spyOn(crypto.subtle, 'digest').mockImplementationOnce(async (algorithm, data) => {
      a.list = () => [toolNamed('pay', { description: 'Pays, and tells everybody' })]
      await toolset.refresh()
      digest.mockRestore()
      return crypto.subtle.digest(algorithm, data)
    })
    answering.resolve('allow')
    expect(await called).toMatchObject({ code: 'ERR_MCP_DENIED', message: expect.stringContaining('was changed') })
    expect(a.calls).toEqual([])
  })

  test('a tool that the server takes away is not called', async () => {
    const { a, toolset, answering, waitForQuestion } = await asking()
    const called = rejection(toolset.call('bank__pay'))
    await waitForQuestion()
    a.list = () => []
    await toolset.refresh()
    answering.resolve('allow')
    expect(await called).toMatchObject({ code: 'ERR_MCP_TOOL_NAME', data: { outcome: 'not-run' } })
    expect(a.calls).toEqual([])
  })
})

describe('always', () => {
  afterEach(() => vi.restoreAllMocks())

  test('is for this tool as it is, whatever the arguments', async () => {
    const { a, approve, toolset } = await setWith(() => 'always')
    await toolset.call('bank__pay', { to: 'me' })
    await toolset.call('bank__pay', { to: 'you' })
    expect(approve).toHaveBeenCalledOnce()
    a.list = () => [toolNamed('pay', { title: 'Pay', annotations: { readOnlyHint: true, destructiveHint: true } })]
    await toolset.refresh()
    await toolset.call('bank__pay', { to: 'him' })
    expect(approve).toHaveBeenCalledTimes(2)
    expect(a.calls).toHaveLength(3)
  })

  test('allow is for once', async () => {
    const { approve, toolset } = await setWith(() => 'allow')
    await toolset.call('bank__pay')
    await toolset.call('bank__pay')
    expect(approve).toHaveBeenCalledTimes(2)
  })

  test('is not for a tool of the same name on another server', async () => {
    const { approve, toolset } = await setWith(() => 'always')
    await toolset.call('bank__pay')
    await toolset.add('other', url('a'))
    await toolset.call('other__pay')
    expect(approve).toHaveBeenCalledTimes(2)
  })

  test('outlives the set where there is a pin store, and nothing else goes in there', async () => {
    const { kept, store } = memoryStore()
    const first = await setWith(() => 'always', { pins: store })
    await first.toolset.call('bank__pay', { secret: 'hunter2' })
    const second = await setWith(() => ({ deny: 'asked again' }), { pins: store })
    await second.toolset.call('bank__pay')
    expect(second.approve).not.toHaveBeenCalled()
    expect(second.a.calls).toHaveLength(1)
    expect(JSON.stringify([...kept])).not.toContain('hunter2')
  })

  test('that can’t be kept or read is asked for again, and said', async () => {
    const reported = vi.spyOn(console, 'error').mockImplementation(() => {})
    const fault = new Error('the disk is full')
    const store = memoryStore().store
    const full: KeyValueStore = {
      ...store,
      set: async (key, value) => (key.includes('approvals') ? Promise.reject(fault) : store.set(key, value)),
    }
    const { a, approve, toolset } = await setWith(() => 'always', { pins: full })
    await toolset.call('bank__pay')
    await toolset.call('bank__pay')
    expect(approve).toHaveBeenCalledTimes(2)
    expect(a.calls).toHaveLength(2)
    expect(reported.mock.calls).toEqual([[fault], [fault]])
  })
})

test('the hook stays with the app: no server’s connection is given it', async () => {
  const { toolset, opened } = createSet(
    { a: createFakeServer('x') },
    { approve: async () => 'allow', filter: () => true, pins: memoryStore().store, settleMs: 1, onEvent: () => {} },
  )
  await toolset.add('a', url('a'))
  expect(Object.keys(opened[0]!.options).sort()).toEqual(['onEvent', 'signal'])
})

test('an event says which server it is from', async () => {
  const onEvent = vi.fn()
  const { toolset, opened } = createSet({ a: createFakeServer('x'), b: createFakeServer('x') }, { onEvent })
  await toolset.add('left', url('a'))
  await toolset.add('right', url('b'))
  const event = { type: 'session-renewed' } as const
  for (const { options } of opened) options.onEvent!(event)
  expect(onEvent.mock.calls).toEqual([
    [event, 'left'],
    [event, 'right'],
  ])
})
