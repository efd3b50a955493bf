import { describe, expect, test } from 'vitest'
import type { ConnectionEvent } from '../../src/connection.js'
import { createRecord, isAlive, open, textOf } from './scripted.js'

const states = (events: ConnectionEvent[]) =>
  events.flatMap((event) => (event.type === 'state' ? [event.state.status] : []))
const starts = (lines: string[]) => lines.filter((line) => line.startsWith('start'))

describe('a server that ends by itself', () => {
  test('leaves what ran unknown, and the connection closed', async () => {
    const { client, events } = await open()
    const waiting = client.callTool('hang')
    const listing = client.request('ping', {})
    const dying = client.callTool('die', { code: 9 })
    for (const [calling, tool] of [
      [waiting, 'hang'],
      [dying, 'die'],
    ] as const)
      await expect(calling).rejects.toMatchObject({
        code: 'ERR_MCP_OUTCOME_UNKNOWN',
        data: { tool, outcome: 'unknown', exit: 9, command: process.execPath, server: 'scripted' },
      })
    await listing.catch((error) => expect(error.code).toBe('ERR_MCP_DISCONNECTED'))
    await expect
      .poll(() => client.state)
      .toMatchObject({
        status: 'closed',
        error: { code: 'ERR_MCP_DISCONNECTED', data: { reason: 'exited', exit: 9, server: 'scripted' } },
      })
    await expect(client.callTool('echo')).rejects.toMatchObject({
      code: 'ERR_MCP_DISCONNECTED',
      data: { outcome: 'not-run', tool: 'echo' },
    })
    expect(states(events)).toEqual(['ready', 'closed'])
  })

  test('by a signal is told with the signal', async () => {
    const { client, pid } = await open()
    process.kill(await pid(), 'SIGKILL')
    await expect.poll(() => client.state.error?.data).toMatchObject({ exit: 'SIGKILL' })
  })

  test('so is one that says nothing any more, and is ended', async () => {
    const { client, pid } = await open()
    const process = await pid()
    await expect(client.callTool('closes its output')).rejects.toMatchObject({ code: 'ERR_MCP_OUTCOME_UNKNOWN' })
    await expect.poll(() => client.state.status).toBe('closed')
    expect(isAlive(process)).toBe(false)
  })
})

describe('a server that is started anew', () => {
  const restart = { attempts: 3, backoffMs: 20 }

  test('has its subscriptions again, and its lists are read anew', async () => {
    const record = createRecord()
    const { client, events, pid } = await open('good', { restart, env: record.env })
    const updates: string[] = []
    await client.subscribeResource('test://one', ({ uri }) => updates.push(uri))
    await client.callTool('list changes')
    expect((await client.listTools()).at(-1)?.name).toBe('added')
    const first = await pid()
    process.kill(first, 'SIGKILL')
    await expect.poll(() => states(events)).toEqual(['ready', 'recovering', 'ready'])
    expect(events).toContainEqual({ type: 'session-renewed' })
    expect(await pid()).not.toBe(first)
    await expect.poll(() => record.lines().filter((line) => line === 'subscribe test://one')).toHaveLength(2)
    await client.callTool('update', { uri: 'test://one' })
    await expect.poll(() => updates).toEqual(['test://one'])
    expect((await client.listTools()).at(-1)?.name).not.toBe('added')
  })

  test('is waited for by calls, within their time, and no call runs twice', async () => {
    const record = createRecord()
    const { client, pid } = await open('good', { restart: { attempts: 1, backoffMs: 300 }, env: record.env })
    const killed = await pid()
    const running = client.callTool('work', { name: 'first', ms: 10_000 })
    await expect.poll(() => record.lines()).toContain('work first')
    process.kill(killed, 'SIGKILL')
    await expect(running).rejects.toMatchObject({ code: 'ERR_MCP_OUTCOME_UNKNOWN' })
    await expect.poll(() => client.state.status).toBe('recovering')
    const hurried = client.callTool('work', { name: 'hurried' }, { timeoutMs: 20 })
    const patient = client.callTool('work', { name: 'patient' })
    await expect(hurried).rejects.toMatchObject({ code: 'ERR_MCP_TIMEOUT' })
    expect(await textOf(patient)).toBe('patient')
    expect(record.lines().filter((line) => line.startsWith('work'))).toEqual(['work first', 'work patient'])
  })

  test('is given up after as many attempts as it may have', async () => {
    const record = createRecord()
    const { client, events } = await open('good', { restart: { attempts: 2, backoffMs: 1 }, env: record.env })
    for (const _ of [1, 2, 3])
      await expect(client.callTool('die')).rejects.toMatchObject({ code: 'ERR_MCP_OUTCOME_UNKNOWN' })
    await expect.poll(() => client.state.status).toBe('closed')
    expect(starts(record.lines())).toHaveLength(3)
    expect(states(events)).toEqual(['ready', 'recovering', 'ready', 'recovering', 'ready', 'closed'])
  })

  test('is gone when the connection is closed while it starts, however slowly it ends', async () => {
    const record = createRecord()
    const { client, pid } = await open('slow to start', { restart: { attempts: 5, backoffMs: 0 }, env: record.env })
    process.kill(await pid(), 'SIGKILL')
    await expect.poll(() => starts(record.lines()).length, { interval: 2 }).toBe(2)
    const second = Number(starts(record.lines())[1]!.split(' ')[1])
    expect(client.state.status).toBe('recovering')
    await client.close()
    expect(isAlive(second)).toBe(false)
  })

  test('is not started any more once the connection is closed', async () => {
    const record = createRecord()
    const { client, pid } = await open('good', { restart: { attempts: 5, backoffMs: 60_000 }, env: record.env })
    process.kill(await pid(), 'SIGKILL')
    await expect.poll(() => client.state.status).toBe('recovering')
    const waiting = client.callTool('echo')
    await client.close()
    await expect(waiting).rejects.toMatchObject({ code: 'ERR_MCP_DISCONNECTED', data: { outcome: 'not-run' } })
    expect(starts(record.lines())).toHaveLength(1)
  })
})

describe('closing', () => {
  test('ends the input, and resolves when the process is gone; whoever waits is told', async () => {
    const record = createRecord()
    const { client, pid } = await open('good', { env: record.env })
    const process = await pid()
    const waiting = client.callTool('work', { name: 'long', ms: 1_000 })
    await expect.poll(() => record.lines()).toContain('work long')
    const told = expect(waiting).rejects.toMatchObject({ code: 'ERR_MCP_OUTCOME_UNKNOWN' })
    await client.close()
    await told
    expect(isAlive(process)).toBe(false)
    expect(client.state).toMatchObject({ status: 'closed' })
  })

  test('by the signal is the same', async () => {
    const abort = new AbortController()
    const { client, pid } = await open('good', {}, { signal: abort.signal })
    const process = await pid()
    abort.abort()
    expect(client.state.status).toBe('closed')
    await expect.poll(() => isAlive(process)).toBe(false)
  })

  test('ends what the server has started too', async () => {
    const { client } = await open()
    const grandchild = Number(await textOf(client.callTool('child')))
    expect(isAlive(grandchild)).toBe(true)
    await client.close()
    expect(isAlive(grandchild)).toBe(false)
  })

  test('ends a server behind a shell', async () => {
    const { command, args } = (await import('./scripted.js')).scripted()
    const { client, pid } = await open('good', {
      command: '/bin/sh',
      args: ['-c', `"${command}" "${args![0]}"; echo done >&2`],
    })
    const process = await pid()
    await client.close()
    expect(isAlive(process)).toBe(false)
  })
})
