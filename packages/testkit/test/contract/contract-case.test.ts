// A case that passes in the wrong realm or era proves nothing: the harness has to notice.
import * as core from '@x/core'
import { toTools } from '@x/core/ai-sdk'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type ContractCase, type ContractSubject, runCase } from '../../src/contract/contract-case.js'
import { createRecordingRuntime } from '../../src/contract/recording-runtime.js'
import { type ContractServer, startContractServer } from '../../src/contract/server.js'

let server: ContractServer
beforeEach(async () => {
  server = await startContractServer()
})
afterEach(() => server.close())

const echo: ContractCase = {
  name: 'echo',
  run: async ({ connect }) => void (await (await connect()).callTool('echo', { text: '' })),
}

interface Cell {
  era?: 'modern' | 'legacy'
  endpoint?: 'modern' | 'legacy'
  expectedRealm?: string
  fetch?: typeof fetch
}

async function run(contractCase: ContractCase, cell: Cell = {}): Promise<void> {
  const { era = 'legacy', endpoint = era, expectedRealm = 'main' } = cell
  const subject: ContractSubject = {
    api: { ...core, toTools },
    realm: expectedRealm,
    createHost: () => core.createHost({ ...createRecordingRuntime('main'), ...(cell.fetch && { fetch: cell.fetch }) }),
  }
  const target = { era, url: `${server.url}/${endpoint}/mcp`, deadUrl: server.deadUrl }
  await runCase(contractCase, target, subject, subject.createHost(), server.control)
}

test.each(['modern', 'legacy'] as const)('a case in the right cell passes: %s', (era) => run(echo, { era }))

test('a request from another realm fails the case', async () => {
  await expect(run(echo, { expectedRealm: 'DedicatedWorkerGlobalScope' })).rejects.toThrow('realm of POST')
})

test('a request that names no realm fails the case', async () => {
  await expect(run(echo, { fetch })).rejects.toThrow('realm of POST')
})

test.each([
  { era: 'modern', endpoint: 'legacy' },
  { era: 'legacy', endpoint: 'modern' },
] as const)('a case that is to run $era and ran $endpoint fails', async (cell) => {
  await expect(run(echo, cell)).rejects.toThrow('endpoint of POST')
})

test('a case that never reaches the server fails', async () => {
  await expect(run({ name: 'idle', run: async () => {} })).rejects.toThrow('the server saw no request')
})

test('what a case opened is closed, also when it fails', async () => {
  const failing: ContractCase = {
    name: 'failing',
    async run({ connect }) {
      await connect()
      throw new Error('as it happens')
    },
  }
  await expect(run(failing)).rejects.toThrow('as it happens')
  await server.control.waitFor({ kind: 'request', httpMethod: 'DELETE' })
})
