import { processesWith } from '@x/testkit/processes'
import { randomFrom } from '@x/testkit/random'
import { expect, test } from 'vitest'
import { McpError } from '../../src/errors.js'
import { connect } from '../../src/stdio.js'
import { createRecord, isAlive, scripted } from './scripted.js'

const typed = ['ERR_MCP_OUTCOME_UNKNOWN', 'ERR_MCP_DISCONNECTED', 'ERR_MCP_CONNECT']

test('killed at 50 moments, every call ends, with its result or a typed error, none runs twice, and no child is left', async () => {
  const random = randomFrom(20261201)
  const record = createRecord()
  const mark = `mark-${process.pid}-deaths`
  const server = scripted('good', {
    env: record.env,
    restart: { attempts: 50, backoffMs: 0 },
    callTimeoutMs: 20_000,
  })
  const client = await connect({ ...server, args: [...server.args!, mark] })
  const ends: { name: string; end: string; outcome?: string | undefined }[] = []
  const calls: Promise<void>[] = []
  const call = (name: string, ms: number) =>
    client.callTool('work', { name, ms }).then(
      (result) => void ends.push({ name, end: (result.content[0] as { text: string }).text }),
      (error) =>
        void ends.push({ name, end: McpError.is(error) ? error.code : String(error), outcome: error.data?.outcome }),
    )
  const pids = () =>
    record
      .lines()
      .filter((line) => line.startsWith('start'))
      .map((line) => Number(line.split(' ')[1]))

  for (let kill = 0; kill < 50; kill++) {
    const add = (index: number) => calls.push(call(`call-${kill}-${index}`, Math.floor(random() * 20)))
    // Before anybody knows that the server has died.
    add(0)
    await expect.poll(() => pids().length, { interval: 2, timeout: 20_000 }).toBe(kill + 1)
    add(1)
    add(2)
    // A moment in the handshake, or while calls run.
    const began = () => record.lines().some((line) => line === `work call-${kill}-1`)
    if (random() < 0.6) await expect.poll(began, { interval: 2, timeout: 20_000 }).toBe(true)
    await new Promise((resolve) => setTimeout(resolve, random() * 25))
    process.kill(pids().at(-1)!, 'SIGKILL')
  }
  await Promise.all(calls)
  await client.close()

  expect(ends).toHaveLength(150)
  const lost = ends.filter(({ name, end }) => name !== end)
  expect(lost.filter(({ end, outcome }) => !typed.includes(end) || !outcome)).toEqual([])
  // Both happen: otherwise the moments prove nothing.
  expect(lost.length).toBeGreaterThan(10)
  expect(lost.length).toBeLessThan(140)
  const ran = record.lines().filter((line) => line.startsWith('work '))
  expect(new Set(ran).size).toBe(ran.length)
  // What is said not to have run has not.
  for (const { name, outcome } of lost) if (outcome === 'not-run') expect(ran).not.toContain(`work ${name}`)
  // The last one may have been closed before it could say so.
  expect(pids().length).toBeGreaterThanOrEqual(50)
  expect(pids().filter(isAlive)).toEqual([])
  expect(processesWith(mark)).toEqual([])
})
