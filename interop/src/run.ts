// Runs every server's steps in every runtime, and holds what comes of them against the manifest. `--only` (a regular
// expression for servers) and `--runtime` narrow it down while developing.
import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { type CorsProxy, startCorsProxy } from './cors-proxy.js'
import { cache, installServers } from './install-servers.js'
import { compareManifest, notYet } from './manifest.js'
import { countRuns, drawMatrix, isAsExpected, type Run } from './matrix.js'
import { createChromiumRuntime } from './runtimes/chromium.js'
import { createNodeRuntime } from './runtimes/node.js'
import { type Runtime, type RuntimeName, type RuntimeReport, runtimeNames } from './runtimes/runtime.js'
import { leftOut, type ServerEntry, servers } from './servers.js'
import { startServer } from './start-server.js'
import { stepNames } from './steps/run-steps.js'
import { judge } from './verdict.js'

const create: Record<RuntimeName, () => Promise<Runtime>> = {
  node: async () => createNodeRuntime(),
  chromium: createChromiumRuntime,
}

const { values: wanted } = parseArgs({ options: { only: { type: 'string' }, runtime: { type: 'string' } } })
const pattern = new RegExp(wanted.only ?? '')
const chosen = servers.filter(({ name }) => pattern.test(name))
const columns = runtimeNames.filter((runtime) => (wanted.runtime ?? runtime) === runtime)

const known = new Map(servers.map(({ name, cors }) => [name, stepNames(name, cors === 'added')]))
const differences = compareManifest(notYet, known)
for (const difference of differences) console.log(`✗ ${difference}`)

const folder = await installServers()
const logs = path.join(cache, 'logs')
await mkdir(logs, { recursive: true })

// The runtimes at the same time, and in each one server after the other.
const runs = (await Promise.all(columns.map(runAll))).flat()
if (runs.length > 0) console.log(`\n${drawMatrix(runs, leftOut)}\n`)
console.log(countRuns(runs))
process.exitCode = runs.length > 0 && runs.every(isAsExpected) && differences.length === 0 ? 0 : 1

async function runAll(name: RuntimeName): Promise<Run[]> {
  const runtime = await create[name]()
  const done: Run[] = []
  try {
    for (const entry of chosen) done.push(await runServer(entry, name, runtime))
  } finally {
    await runtime.close()
  }
  return done
}

async function runServer(entry: ServerEntry, name: RuntimeName, runtime: Runtime): Promise<Run> {
  const began = performance.now()
  const proxied = name === 'chromium' && entry.cors === 'added'
  const report = await reportOf(entry, name, runtime, proxied).catch((error: unknown) => ({
    steps: [],
    faults: [String(error)],
  }))
  await writeFile(path.join(logs, `${entry.name}-${name}.json`), JSON.stringify(report, null, 2))
  const names = stepNames(entry.name, proxied)
  const run = { server: entry.name, runtime: name, steps: judge(notYet, entry.name, name, names, report) }
  tell(run, ((performance.now() - began) / 1000).toFixed(1))
  return run
}

async function reportOf(
  entry: ServerEntry,
  name: RuntimeName,
  runtime: Runtime,
  proxied: boolean,
): Promise<RuntimeReport> {
  const server = await startServer(entry, folder, path.join(logs, `${entry.name}-${name}.log`))
  const url = server.origin + entry.path
  let proxy: CorsProxy | undefined
  try {
    if (!proxied) return await runtime.run({ server: entry.name, url })
    proxy = await startCorsProxy(server.origin)
    return await runtime.run({ server: entry.name, url: proxy.origin + entry.path, urlWithoutCors: url })
  } finally {
    await proxy?.close()
    await server.close()
  }
}

function tell(run: Run, seconds: string): void {
  const { server, runtime, steps } = run
  console.log(`${isAsExpected(run) ? 'ok' : '✗ '} ${runtime.padEnd(9)} ${server}, ${steps.length} steps, ${seconds} s`)
  for (const { name, verdict, detail } of steps) {
    if (verdict === 'failed') console.log(`    failed: ${name}: ${detail}`)
    if (verdict === 'stale') console.log(`    stale: ${name}: it passes, and src/manifest.ts has "not yet: ${detail}"`)
  }
}
