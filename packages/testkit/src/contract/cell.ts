import type { Era } from '@x/core'
import type { ContractPath } from './direct-path.js'
import type { ContractHost, RunningHost } from './hosts/contract-host.js'
import { type ContractServer, startContractServer } from './server.js'
import { contractCases } from './suite.js'

/** A line of the matrix. */
export interface ContractRow {
  name: string
  host: ContractHost
  path: ContractPath
}

/** The suite's outcome in one row and era. */
export interface CellResult {
  passed: number
  failures: { name: string; message: string }[]
}

/** No case takes a second: one that takes this long waits for something that doesn't come. */
const caseLimitMs = 20_000

/** Runs the cases whose names `wants` in one cell, each against a server of its own. */
export async function runCell(row: ContractRow, era: Era, wants: (name: string) => boolean): Promise<CellResult> {
  const result: CellResult = { passed: 0, failures: [] }
  let running: RunningHost | undefined
  for (const { name } of contractCases) {
    if (!wants(name)) continue
    try {
      running ??= await row.host.start()
    } catch (error) {
      result.failures.push({ name: 'the host starts', message: describe(error) })
      break
    }
    try {
      await runOne(running, row.path, era, name)
      result.passed++
    } catch (error) {
      result.failures.push({ name, message: describe(error) })
      // What a failed case left behind must not make the next one fail.
      await running?.stop().catch(() => {})
      running = undefined
    }
  }
  await running?.stop()
  return result
}

async function runOne(host: RunningHost, path: ContractPath, era: Era, name: string): Promise<void> {
  const server = await startContractServer()
  const warnings: Error[] = []
  const warned = (warning: Error) => warnings.push(warning)
  process.on('warning', warned)
  try {
    const way = await path.open(server, era)
    try {
      const target = { era, url: way.url, deadUrl: server.deadUrl, controlUrl: server.url }
      await withinLimit(host.run(name, target), server)
      // Of listeners that pile up, for one.
      if (warnings[0]) throw warnings[0]
    } finally {
      await way.close()
    }
  } finally {
    process.off('warning', warned)
    await server.close()
  }
}

async function withinLimit(work: Promise<void>, server: ContractServer): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(async () => {
      const seen = (await server.control.log()).slice(-8).map((entry) => `\n  ${JSON.stringify(entry)}`)
      reject(new Error(`not done within ${caseLimitMs} ms; the server saw last:${seen.join('')}`))
    }, caseLimitMs)
  })
  try {
    await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const code = 'code' in error ? ` (${error.code})` : ''
  return `${(error.stack ?? error.message).split('\n').slice(0, 12).join('\n')}${code}`
}
