import { once } from 'node:events'
import { processesWith } from '@x/testkit/processes'
import { expect, test } from 'vitest'
import { startChild } from '../../src/stdio/child.js'
import { createRecord, isAlive, scripted } from './scripted.js'

/** Timers that run sooner than they should: what is tested is the order. */
const hurried = (ms: number, run: () => void) => {
  const timer = setTimeout(run, ms / 10)
  return () => clearTimeout(timer)
}

async function start(behaviour: string) {
  const record = createRecord()
  const child = await startChild(scripted(behaviour, { env: record.env }), hurried)
  await expect.poll(() => record.lines()[0]).toMatch(/^start/)
  return { child, record, pid: Number(record.lines()[0]!.split(' ')[1]) }
}

test('a child that does not end with its input is sent SIGTERM', async () => {
  const { child, pid } = await start('lingers')
  await child.stop()
  expect(await child.exited).toBe('SIGTERM')
  expect(isAlive(pid)).toBe(false)
})

test('one that does not end by SIGTERM either is killed', async () => {
  const { child, record, pid } = await start('stubborn')
  await child.stop()
  expect(await child.exited).toBe('SIGKILL')
  expect(record.lines()).toContain('SIGTERM')
  expect(isAlive(pid)).toBe(false)
})

test('stopping twice is stopping once', async () => {
  const { child } = await start('good')
  await Promise.all([child.stop(), child.stop()])
  expect(await child.exited).toBe(0)
})

test('children leave no listener on this process, and no process that watches it', async () => {
  const count = () => ['exit', 'SIGINT', 'SIGTERM', 'SIGHUP'].map((event) => process.listenerCount(event))
  const before = count()
  const { child: one } = await start('good')
  const { child: two } = await start('good')
  const watchers = () => [one, two].flatMap(({ pid }) => processesWith(`-- "-$0"; } ${pid}`))
  expect(watchers()).toHaveLength(2)
  await one.stop()
  await two.stop()
  expect(count()).toEqual(before)
  await expect.poll(watchers).toEqual([])
})

test('a child that takes no input tells so, and what is written is refused', async () => {
  const { child } = await start('good')
  process.kill(-child.pid, 'SIGKILL')
  await child.exited
  await expect(child.write('x'.repeat(1_000_000))).rejects.toMatchObject({ code: 'ERR_MCP_DISCONNECTED' })
  await child.deaf
  await child.stop()
  if (!child.stdout.closed) await once(child.stdout, 'close')
})
