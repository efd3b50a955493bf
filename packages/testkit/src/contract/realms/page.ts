import './dead-network.js'
import * as web from '@x/web'
import { toTools } from '@x/web/ai-sdk'
import { runCase } from '../contract-case.js'
import type { ContractControl } from '../log.js'
import { findCase } from '../suite.js'
import type { PageScope } from './page-scope.js'

const scope = globalThis as unknown as PageScope
const createHost = () =>
  web.createHost({ worker: () => new Worker(new URL('/browser-worker.js', location.href), { type: 'module' }) })
const host = createHost()
const subject = { api: { ...web, toTools }, realm: 'DedicatedWorkerGlobalScope', createHost }

const control: ContractControl = {
  log: async () => (await scope.contractControl('log', [])) as Awaited<ReturnType<ContractControl['log']>>,
  reset: async () => void (await scope.contractControl('reset', [])),
  act: async (action) => void (await scope.contractControl('act', [action])),
  waitFor: async (...args) =>
    (await scope.contractControl('waitFor', args)) as Awaited<ReturnType<ContractControl['waitFor']>>,
}

scope.runContractCase = async (name, target) => {
  try {
    await runCase(findCase(name), target, subject, host, control)
    return undefined
  } catch (error) {
    return error instanceof Error ? (error.stack ?? error.message) : String(error)
  }
}
