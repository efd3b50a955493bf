import type { Era } from '@x/core'
import type { ContractHost, RunningHost } from './hosts/contract-host.js'
import { casesOf } from './not-applicable.js'
import type { ContractPath, RunningPath } from './paths/contract-path.js'
import { type ContractServer, startContractServer } from './server.js'

/** A line of the matrix. */
export interface ContractRow {
  name: string
  host: ContractHost
  path: ContractPath
  /** Its cells. */
  eras: CellEras[]
}

/** The eras that are spoken in a cell. */
export interface CellEras {
  /** By the client: to the server, or to the gateway's own endpoint. */
  client: Era
  /** To the contract's server: by the client, or by a gateway whose own endpoint the client speaks to. */
  server: Era
}

/** The suite's outcome in one cell. */
export interface CellResult {
  passed: number
  failures: { name: string; message: string }[]
}

/** No case takes a second: one that takes this long waits for something that doesn't come. */
const caseLimitMs = 20_000

/** Runs the cases whose names `wants` in one cell, each against a server of its own. */
export async function runCell(row: ContractRow, eras: CellEras, wants: (name: string) => boolean): Promise<CellResult> {
  const result: CellResult = { passed: 0, failures: [] }
  let running: RunningRow | undefined
  for (const { name } of casesOf(row.path.name)) {
    if (!wants(name)) continue
    try {
      running ??= await startRow(row)
    } catch (error) {
      result.failures.push({ name: 'host and path start', message: describe(error) })
      break
    }
    try {
      await runOne(running, eras, name)
      result.passed++
    } catch (error) {
      result.failures.push({ name, message: describe(error) })
      // What a failed case left behind must not make the next one fail.
      await running.stop().catch(() => {})
      running = undefined
    }
  }
  try {
    await running?.stop()
  } catch (error) {
    // What the last case left behind, or came to light too late to be told of its own case.
    result.passed--
    result.failures.push({ name: 'host and path stop', message: describe(error) })
  }
  return result
}

interface RunningRow {
  host: RunningHost
  path: RunningPath
  stop(): Promise<void>
}

async function startRow(row: ContractRow): Promise<RunningRow> {
  const path = await row.path.start()
  try {
    const host = await row.host.start()
    return {
      host,
      path,
      async stop() {
        await Promise.all([host.stop(), path.stop()])
      },
    }
  } catch (error) {
    await path.stop()
    throw error
  }
}

async function runOne({ host, path }: RunningRow, eras: CellEras, name: string): Promise<void> {
  const server = await startContractServer()
  const warnings: Error[] = []
  const warned = (warning: Error) => warnings.push(warning)
  process.on('warning', warned)
  try {
    const target = path.target(server, eras.client, eras.server)
    await withinLimit(host.run(name, { ...target, controlUrl: server.url }), server)
    path.verify()
    // Of listeners that pile up, for one.
    if (warnings[0]) throw warnings[0]
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
