import { describe, expect, test } from 'vitest'
import type { ConnectionEvent, WireEvent } from '../../src/connection.js'
import { connectAll } from '../../src/in-process.js'
import type { Progress } from '../../src/protocol.js'
import { createRecord, open, textOf } from './scripted.js'

const findings = (events: ConnectionEvent[]) =>
  events.flatMap((event) => (event.type === 'finding' ? [event.finding] : []))

describe('a call', () => {
  test('brings its progress before its result, though both come in one piece', async () => {
    const { client } = await open()
    const steps: Progress[] = []
    expect(await textOf(client.callTool('progress', {}, { onProgress: (step) => steps.push(step) }))).toBe('done')
    expect(steps.map(({ progress }) => progress)).toEqual([1, 2, 3])
  })

  test('is read byte by byte, in letters of several bytes, with the line ends of Windows', async () => {
    const { client } = await open()
    expect(await textOf(client.callTool('by pieces'))).toBe('grüße 👋')
  })

  test('that is aborted is cancelled on the server', async () => {
    const record = createRecord()
    const { client } = await open('good', { env: record.env })
    const abort = new AbortController()
    const calling = client.callTool('hang', {}, { signal: abort.signal })
    await expect.poll(() => record.lines()).toContain('received tools/call')
    abort.abort(new Error('enough'))
    await expect(calling).rejects.toThrow('enough')
    await expect.poll(() => record.lines()).toContain('received notifications/cancelled')
    expect(await textOf(client.callTool('echo', { value: 'still there' }))).toBe('still there')
  })

  test('has a deadline', async () => {
    const { client } = await open()
    await expect(client.callTool('hang', {}, { timeoutMs: 50 })).rejects.toMatchObject({
      code: 'ERR_MCP_TIMEOUT',
      data: { tool: 'hang', server: 'scripted', outcome: 'unknown' },
    })
  })

  test('may ask a person', async () => {
    const { client } = await open('good', {}, { elicit: async () => ({ action: 'accept', content: {} }) })
    expect(await textOf(client.callTool('ask'))).toBe('accept')
  })

  test('of thirty at once each has its own result', async () => {
    const { client } = await open()
    const values = Array.from({ length: 30 }, (_, index) => `value ${index}`)
    expect(await Promise.all(values.map((value) => textOf(client.callTool('echo', { value }))))).toEqual(values)
  })
})

describe('what the server says by itself', () => {
  test('is heard: a list that changed, and updates of a resource', async () => {
    const { client, events } = await open()
    await client.listTools()
    const updates: string[] = []
    await client.subscribeResource('test://one', ({ uri }) => updates.push(uri))
    await client.callTool('update', { uri: 'test://one' })
    await expect.poll(() => updates).toEqual(['test://one'])
    await client.callTool('list changes')
    await expect.poll(() => events).toContainEqual({ type: 'list-changed', list: 'tools' })
    expect((await client.listTools()).at(-1)?.name).toBe('added')
  })

  test('that is no message is skipped and reported, twenty lines and no more', async () => {
    const { client, events } = await open()
    const lines = [
      'Listening on port 3000',
      '\x1b[31mred\x1b[0m',
      '{"jsonrpc":"2.0"}',
      '[]',
      '12',
      '""',
      ...Array(100).fill('again'),
    ]
    expect(await textOf(client.callTool('stray lines', { lines }))).toBe('done')
    const stray = findings(events).filter(({ code }) => code === 'stray-output')
    expect(stray.map(({ message }) => message.split(': ')[1]).slice(0, 6)).toEqual([
      'Listening on port 3000',
      'red',
      '{"jsonrpc":"2.0"}',
      '[]',
      '12',
      '""',
    ])
    expect(stray).toHaveLength(20)
    expect(stray[19]?.message).toContain('further ones are not told')
  })

  test('that is not UTF-8 is skipped and reported', async () => {
    const { client, events } = await open()
    expect(await textOf(client.callTool('not utf-8'))).toBe('done')
    expect(findings(events).map(({ code }) => code)).toEqual(['stray-output'])
  })

  test('may be many messages in one line', async () => {
    const { client } = await open()
    const updates: string[] = []
    await client.subscribeResource('test://one', ({ uri }) => updates.push(uri))
    const update = { jsonrpc: '2.0', method: 'notifications/resources/updated', params: { uri: 'test://one' } }
    await client.callTool('stray lines', { lines: [JSON.stringify([update, update])] })
    await expect.poll(() => updates).toHaveLength(2)
  })
})

describe('a reply that can not be taken', () => {
  test('because it is no JSON ends its own call at once, and no other', async () => {
    const { client } = await open()
    const waiting = client.callTool('work', { name: 'other', ms: 200 })
    await expect(client.callTool('broken')).rejects.toMatchObject({
      code: 'ERR_MCP_INVALID_RESPONSE',
      data: { tool: 'broken', reason: 'json', outcome: 'unknown' },
    })
    expect(await textOf(waiting)).toBe('other')
  })

  test.each(['large', 'large, id first'])(
    'because it is too large ends its own call, and no other: %s',
    async (tool) => {
      const { client } = await open('good', { maxResponseBytes: 100_000 })
      const waiting = tool === 'large' ? client.callTool('work', { name: 'other', ms: 200 }) : undefined
      await expect(client.callTool(tool, { bytes: 1_000_000 })).rejects.toMatchObject({
        code: 'ERR_MCP_TOO_LARGE',
        data: { tool, limit: 100_000, server: 'scripted' },
      })
      if (waiting) expect(await textOf(waiting)).toBe('other')
    },
  )

  test('takes no more memory than it may, though its line never ends', async () => {
    const { client } = await open('good', { maxResponseBytes: 1_000_000 })
    const before = process.memoryUsage().rss
    await expect(client.callTool('large, id first', { bytes: 200_000_000 })).rejects.toMatchObject({
      code: 'ERR_MCP_TOO_LARGE',
    })
    expect(process.memoryUsage().rss - before).toBeLessThan(60_000_000)
  })
})

test('tools of local servers stand beside others in one set', async () => {
  const { client: one } = await open()
  const { client: two } = await open('modern')
  const set = await connectAll({ one, two })
  expect(set.tools.filter(({ tool }) => tool.name === 'echo').map(({ name }) => name)).toEqual([
    'one__echo',
    'two__echo',
  ])
  expect(await textOf(set.call('two__echo', { value: 'hello' }))).toBe('hello')
  await set.close()
  expect(one.state.status).toBe('ready')
})

test('the wire shows each message, and no HTTP', async () => {
  const { client } = await open()
  const seen: WireEvent[] = []
  client.listen({ wire: 'bodies' }, (event) => event.type === 'wire' && seen.push(event))
  await client.callTool('echo', { value: 'hello' })
  expect(seen.map(({ phase, method }) => [phase, method])).toEqual([
    ['request', 'tools/call'],
    ['end', undefined],
    ['message', undefined],
  ])
  expect(seen[0]?.body).toMatchObject({ method: 'tools/call', params: { arguments: { value: 'hello' } } })
  expect(seen[2]?.body).toMatchObject({ result: { content: [{ text: 'hello' }] } })
  expect(seen.some((event) => 'httpMethod' in event)).toBe(false)
})
