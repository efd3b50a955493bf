// A server that asks without end, and without a call: what it can make this client do.
import { expect, test } from 'vitest'
import type { ElicitationRequest, ElicitationResult } from '../../../src/protocol.js'
import { openWith } from '../../support/ask.js'
import { eventStream, settle } from '../../support/asking-server.js'
import { legacyServer } from '../../support/mcp-server.js'
import { failOnUnhandled } from '../../support/no-unhandled.js'

failOnUnhandled()

const question = (id: number) => ({
  jsonrpc: '2.0',
  id,
  method: 'elicitation/create',
  params: { message: `question ${id}`, requestedSchema: { type: 'object', properties: {} } },
})

test('10,000 questions open a hundred dialogues, and calls go on', async () => {
  const stream = eventStream()
  const answers: unknown[] = []
  const asked: ((result: ElicitationResult) => void)[] = []
  const server = legacyServer({
    GET: () => stream.response,
    POST: ({ body }) => {
      answers.push(body?.id)
      return new Response(null, { status: 202 })
    },
  })
  const elicit = (_request: ElicitationRequest) => new Promise<ElicitationResult>((resolve) => asked.push(resolve))
  const { connection, findings } = await openWith(server, { elicit })
  for (let id = 0; id < 10_000; id++) stream.push(question(id))
  await connection.request('tools/call', { name: 'add' })
  while (asked.length < 100 || findings.length === 0) await settle()
  await settle()
  expect(asked).toHaveLength(100)
  expect(answers).toEqual([])
  expect(findings).toMatchObject([{ code: 'question-refused' }])
  for (const answer of asked.splice(0)) answer({ action: 'cancel' })
  while (answers.length < 100) await settle()
  expect(answers).toEqual(Array.from({ length: 100 }, (_, id) => id))
  stream.push(question(10_000))
  while (asked.length < 1) await settle()
  expect(await connection.request('tools/call', { name: 'add' })).toMatchObject({ content: [{ text: 'add' }] })
})

test('10,000 questions that there is no hook for are refused, a hundred at a time', async () => {
  const stream = eventStream()
  let atOnce = 0
  let most = 0
  const server = legacyServer({
    GET: () => stream.response,
    async POST() {
      most = Math.max(most, ++atOnce)
      await new Promise(setImmediate)
      atOnce--
      return new Response(null, { status: 202 })
    },
  })
  const { connection } = await openWith(server, { roots: async () => [] })
  for (let id = 0; id < 10_000; id++) stream.push({ jsonrpc: '2.0', id, method: 'sampling/createMessage', params: {} })
  stream.push({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' })
  await new Promise<void>((resolve) => {
    connection.listen({ lists: true }, ({ type }) => type === 'list-changed' && resolve())
  })
  expect(most).toBeGreaterThan(0)
  expect(most).toBeLessThanOrEqual(100)
})

test('questions that are asked and taken back, again and again, open a hundred dialogues', async () => {
  let asked = 0
  const stream = eventStream()
  const server = legacyServer({
    GET: () => stream.response,
    POST: () => new Response(null, { status: 202 }),
  })
  const elicit = () => {
    asked++
    return new Promise<ElicitationResult>(() => {})
  }
  const { connection, findings } = await openWith(server, { elicit })
  for (let id = 0; id < 1_000; id++) {
    stream.push(question(id))
    stream.push({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id } })
  }
  while (findings.length < 900) await settle()
  expect(asked).toBe(100)
  expect(findings[0]).toMatchObject({ code: 'hook-failed' })
  await connection.close()
})
