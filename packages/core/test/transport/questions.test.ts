import { describe, expect, test } from 'vitest'
import type { Finding } from '../../src/protocol.js'
import type { JsonRpcMessage } from '../../src/transport/json-rpc.js'
import { createQuestions } from '../../src/transport/questions.js'

function create(onRequest?: (request: JsonRpcMessage, during: JsonRpcMessage | undefined) => JsonRpcMessage) {
  const delivered: JsonRpcMessage[] = []
  const findings: Finding[] = []
  const questions = createQuestions((message) => delivered.push(message), {
    ...(onRequest && { onRequest }),
    report: (finding) => findings.push(finding),
  })
  return { questions, delivered, findings, ids: () => delivered.map(({ id }) => id) }
}

const question = (id: string | number): JsonRpcMessage => ({ jsonrpc: '2.0', id, method: 'elicitation/create' })
const flood = (count: number) => Array.from({ length: count }, (_, id) => question(id))
const cancelled = (requestId: string | number) => ({
  jsonrpc: '2.0',
  method: 'notifications/cancelled',
  params: { requestId },
})

test('notifications pass; requests pass as they are made, with what they came with', () => {
  const { questions, delivered } = create((request, during) => ({ ...request, params: { during: during?.id } }))
  questions.receive({ jsonrpc: '2.0', method: 'notifications/message' })
  questions.receive(question('a'), { id: 7, method: 'tools/call' })
  questions.receive(question('b'))
  expect(delivered).toEqual([
    { jsonrpc: '2.0', method: 'notifications/message' },
    { ...question('a'), params: { during: 7 } },
    { ...question('b'), params: { during: undefined } },
  ])
})

describe('a flood', () => {
  test('is heard up to a hundred open questions, and told once', () => {
    const { questions, delivered, findings } = create()
    for (const one of flood(10_000)) questions.receive(one)
    expect(delivered).toHaveLength(100)
    expect(findings).toEqual([{ code: 'question-refused', message: expect.stringMatching(/100 requests open/) }])
  })

  test('is heard again as answers go out, or as the server takes questions back', () => {
    const { questions, ids, findings } = create()
    for (const one of flood(101)) questions.receive(one)
    questions.end(5)
    questions.receive(question('next'))
    questions.receive(cancelled(6))
    questions.receive(question('and another'))
    questions.receive(question('too many'))
    expect(ids().slice(100)).toEqual(['next', undefined, 'and another'])
    expect(findings).toHaveLength(2)
  })

  test('of one id is one question', () => {
    const { questions, delivered } = create()
    for (let time = 0; time < 3; time++) questions.receive(question('same'))
    expect(delivered).toHaveLength(1)
    questions.end('same')
    questions.receive(question('same'))
    expect(delivered).toHaveLength(2)
  })
})

describe('a request that is given up', () => {
  test('takes its questions with it, and no others', () => {
    const { questions, delivered } = create()
    questions.receive(question('a'), { id: 1 })
    questions.receive(question('b'), { id: 2 })
    questions.receive(question('c'))
    questions.receive(question('answered'), { id: 1 })
    questions.end('answered')
    delivered.length = 0
    questions.giveUp(1)
    questions.giveUp(1)
    questions.giveUp(undefined)
    expect(delivered).toEqual([cancelled('a')])
  })
})
