import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { type ContractServer, startContractServer } from '@x/testkit'
import { build } from 'esbuild'
import { beforeAll, describe, expect, test } from 'vitest'

const run = promisify(execFile)
const program = (name: string) => fileURLToPath(new URL(`./code-generation/${name}`, import.meta.url))

let server: ContractServer
let folder: string

beforeAll(async () => {
  server = await startContractServer()
  folder = await mkdtemp(path.join(os.tmpdir(), 'x-code-generation-'))
  return async () => {
    await server.close()
    await rm(folder, { recursive: true })
  }
})

describe.each(['modern', 'legacy'])(
  'LS-99 connecting to a %s server, calling a tool and checking its result evaluates no code',
  (era) => {
    test("in core's bundle", async () => {
      const outfile = path.join(folder, `${era}.mjs`)
      const entryPoints = [program('call-in-process.mjs')]
      await build({ entryPoints, outfile, bundle: true, format: 'esm', platform: 'node', logLevel: 'silent' })
      expect(await outcomeOf(outfile, era)).toEqual(good)
    })

    test("in the worker's bundle, over a MessagePort", async () => {
      expect(await outcomeOf(program('call-in-worker.mjs'), era)).toEqual(good)
    })
  },
)

const good = { tools: expect.any(Number), structuredContent: { sum: 42 }, findings: ['output-schema'], evaluated: [] }

async function outcomeOf(script: string, era: string): Promise<unknown> {
  const flags = ['--disallow-code-generation-from-strings', '--import', program('record-evaluation.mjs')]
  const { stdout } = await run(process.execPath, [...flags, script, `${server.url}/${era}/mcp`], { timeout: 20_000 })
  return JSON.parse(stdout)
}
