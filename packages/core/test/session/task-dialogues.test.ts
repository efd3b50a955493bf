import { describe, expect, test } from 'vitest'
import type { ConnectOptions } from '../../src/config.js'
import type { ElicitationRequest } from '../../src/protocol.js'
import { eventStream } from '../support/asking-server.js'
import { reply } from '../support/mcp-server.js'
import { failOnUnhandled } from '../support/no-unhandled.js'
import { open } from '../support/open.js'
import { mcpRejection } from '../support/rejection.js'
import type { Sent } from '../support/scripted-fetch.js'
import { done, inTurn, legacyTask, legacyTaskServer, modernTask, modernTaskServer } from '../support/task-server.js'

failOnUnhandled()

const question = {
  method: 'elicitation/create',
  params: {
    mode: 'form',
    message: 'Which?',
    requestedSchema: { type: 'object', properties: { colour: { type: 'string' } }, required: ['colour'] },
  },
}

/** A server whose one task asks this, and is done when it was told `blue`. */
function askingTask(era: 'modern' | 'legacy', asked: { method: string; params?: object }) {
  let answered = false
  if (era === 'modern')
    return modernTaskServer({
      'tasks/get': (sent) =>
        reply(
          sent,
          answered
            ? modernTask('completed', { result: done })
            : modernTask('input_required', { inputRequests: { q: asked } }),
        ),
      'tasks/update': (sent) => {
        const { q } = sent.body!.params!.inputResponses as { q: { content: object } }
        answered = JSON.stringify(q).includes('blue')
        return reply(sent, {})
      },
    })
  const stream = eventStream()
  let result: unknown
  return legacyTaskServer({
    GET: () => new Response(null, { status: 405 }),
    'tasks/get': inTurn(legacyTask('input_required')),
    'tasks/result': (sent) => {
      result = sent.body!.id
      const related = { 'io.modelcontextprotocol/related-task': { taskId: 't1' } }
      stream.push({ jsonrpc: '2.0', id: 'q', ...asked, params: { ...asked.params, _meta: related } })
      return stream.response
    },
    POST: (sent) => {
      if (JSON.stringify(sent.body).includes('blue')) stream.push({ jsonrpc: '2.0', id: result, result: done })
      stream.end()
      return new Response(null, { status: 202 })
    },
  })
}

const start = (
  era: 'modern' | 'legacy',
  hooks: ConnectOptions,
  asked: { method: string; params?: object } = question,
) => {
  const parts = open(askingTask(era, asked), { hooks })
  const tool = era === 'modern' ? 'plain' : 'required'
  return { ...parts, tool, calling: parts.opening.then((opened) => opened.request('tools/call', { name: tool })) }
}

const of = ({ sent }: { sent: Sent[] }, method: string) => sent.filter(({ body }) => body?.method === method)

/** Lets the time until the next poll pass, once the task waits for it. */
async function pass(parts: ReturnType<typeof start>, polls: number): Promise<void> {
  while (of(parts, polls === 0 ? 'tools/call' : 'tasks/get').length < Math.max(1, polls))
    await new Promise(setImmediate)
  for (let turn = 0; turn < 10; turn++) await new Promise(setImmediate)
  parts.timers.advance(1_000)
}

describe.each(['modern', 'legacy'] as const)('a task of a %s server', (era) => {
  test('asks the person by the hook, who may take as long as they like', async () => {
    let give = (_colour: string) => {}
    let seen: ElicitationRequest | undefined
    const parts = start(era, {
      elicit: (request) => {
        seen = request
        return new Promise((resolve) => {
          give = (colour) => resolve({ action: 'accept', content: { colour } })
        })
      },
    })
    await pass(parts, 0)
    while (!seen) await new Promise(setImmediate)
    expect(seen).toMatchObject({ message: 'Which?', tool: parts.tool, server: 'https://server.example/mcp' })
    parts.timers.advance(24 * 3_600_000)
    give('blue')
    if (era === 'modern') {
      while (of(parts, 'tasks/update').length === 0) await new Promise(setImmediate)
      await pass(parts, 1)
    }
    expect(await parts.calling).toMatchObject(done)
    expect(of(parts, 'tools/call')).toHaveLength(1)
    expect(of(parts, 'tasks/cancel')).toEqual([])
  })

  test('that asks where nobody was offered is ended', async () => {
    const parts = start(era, {})
    const failing = mcpRejection(parts.calling)
    await pass(parts, 0)
    const error = await failing
    expect(error).toMatchObject({
      code: 'ERR_MCP_INPUT_REQUIRED',
      data: { outcome: 'unknown', tool: parts.tool, method: 'tools/call' },
    })
    expect(error.message).toContain('elicit')
    expect(of(parts, 'tasks/cancel')).toHaveLength(1)
  })
})

test('a modern task that asks for what another hook could not give is ended, and no one is asked', async () => {
  let asked = 0
  const parts = start('modern', {
    roots: async () => {
      asked++
      return []
    },
  })
  const failing = mcpRejection(parts.calling)
  await pass(parts, 0)
  expect(await failing).toMatchObject({
    code: 'ERR_MCP_INPUT_REQUIRED',
    data: { reason: 'elicit', outcome: 'unknown', tool: 'plain' },
  })
  expect(asked).toBe(0)
})

test('a modern task that asks by a method of its own invention is ended', async () => {
  const parts = start('modern', { roots: async () => [] }, { method: 'files/delete' })
  const failing = mcpRejection(parts.calling)
  await pass(parts, 0)
  expect(await failing).toMatchObject({
    code: 'ERR_MCP_INVALID_RESPONSE',
    data: { reason: 'shape', outcome: 'unknown', tool: 'plain' },
  })
  expect(of(parts, 'tasks/cancel')).toHaveLength(1)
})
