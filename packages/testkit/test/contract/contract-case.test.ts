// A case that passes in the wrong realm, in the wrong era or on the wrong path proves nothing: the harness has to notice.
import * as core from '@x/core'
import { toTools } from '@x/core/ai-sdk'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  type ContractCase,
  type ContractSubject,
  type ContractTarget,
  type PathName,
  runCase,
} from '../../src/contract/contract-case.js'
import {
  callerHeader,
  credentials,
  noteHeader,
  realmHeader,
  timersHeader,
  workerdRealm,
} from '../../src/contract/fixtures.js'
import { createRecordingRuntime } from '../../src/contract/recording-runtime.js'
import { describeHead } from '../../src/contract/request-head.js'
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
  path?: PathName
}

async function run(contractCase: ContractCase, cell: Cell = {}): Promise<void> {
  const { era = 'legacy', endpoint = era, expectedRealm = 'main', path = 'direct' } = cell
  const subject: ContractSubject = {
    api: { ...core, toTools },
    realm: expectedRealm,
    createHost: () => core.createHost({ ...createRecordingRuntime('main'), ...(cell.fetch && { fetch: cell.fetch }) }),
  }
  const { url, deadUrl } = server
  const target: ContractTarget = { path, era, serverEra: era, server: { url: `${url}/${endpoint}/mcp` }, deadUrl }
  await runCase(contractCase, target, subject, subject.createHost(), server.control)
}

test.each(['modern', 'legacy'] as const)('a case in the right cell passes: %s', (era) => run(echo, { era }))

test('a request from another realm fails the case', async () => {
  await expect(run(echo, { expectedRealm: 'DedicatedWorkerGlobalScope' })).rejects.toThrow('realm and gateway of POST')
})

test('a request that names no realm fails the case', async () => {
  await expect(run(echo, { fetch })).rejects.toThrow('realm and gateway of POST')
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

describe('behind a gateway', () => {
  /** A fetch that sends what a gateway would send of the request, but for these headers. */
  function asGateway(wrong: Record<string, string> = {}): typeof fetch {
    return (input, init = {}) => {
      const given = new Headers(init.headers)
      given.set(realmHeader, 'main')
      const sent = new Headers(given)
      for (const name of [timersHeader, noteHeader]) sent.delete(name)
      sent.set(realmHeader, workerdRealm)
      sent.set(credentials.apiKeyHeader, credentials.apiKey)
      sent.set(callerHeader, JSON.stringify(describeHead({ method: init.method ?? 'GET', headers: given })))
      for (const [name, value] of Object.entries(wrong)) sent.set(name, value)
      return fetch(input, { ...init, headers: sent })
    }
  }

  const behind = (wrong?: Record<string, string>): Cell => ({
    era: 'modern',
    path: 'passthrough',
    fetch: asGateway(wrong),
  })

  test('a case in the right cell passes', () => run(echo, behind()))

  test('a case that went past the gateway fails', async () => {
    await expect(run(echo, { era: 'modern', path: 'passthrough' })).rejects.toThrow('the gateway’s realm')
  })

  test('a case that went through a gateway and was not to fails', async () => {
    await expect(run(echo, { ...behind(), path: 'direct' })).rejects.toThrow('realm and gateway')
  })

  test.each([
    { what: 'a gateway that runs elsewhere', wrong: { [realmHeader]: 'main' }, told: 'the gateway’s realm' },
    { what: 'the caller’s token', wrong: { authorization: 'Bearer of-the-caller' }, told: 'credential' },
    { what: 'a header of the caller’s own', wrong: { [noteHeader]: 'of the caller' }, told: 'the caller’s headers' },
    { what: 'a caller from elsewhere', wrong: { [callerHeader]: '{"realm":"page"}' }, told: 'the caller’s realm' },
    { what: 'a caller of the other era', wrong: { [callerHeader]: '{"realm":"main"}' }, told: 'the caller’s era' },
  ])('$what fails the case', async ({ wrong, told }) => {
    await expect(run(echo, behind(wrong))).rejects.toThrow(told)
  })

  test('a session id that is the server’s own fails the case', async () => {
    await expect(run(echo, { ...behind(), era: 'legacy' })).rejects.toThrow('the server’s own session id')
  })
})
