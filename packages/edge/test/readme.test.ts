import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { connect, UnauthorizedError } from '@x/core'
import { build } from 'esbuild'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runWithServers, type WorkerWithServers } from './support/named-servers.js'

const folder = fileURLToPath(new URL('.', import.meta.url))
let worker: WorkerWithServers

beforeAll(async () => {
  const bindings = { SESSION_SECRET: 'a secret of the tests, long enough to sign', NOTES_TOKEN: 'token-of-the-notes' }
  worker = await runWithServers(await bundleExample(), bindings)
})

afterAll(() => worker?.stop())

/** The ten lines, which the package's and the project's README both show. */
async function readExample(readme: string): Promise<string> {
  const text = await readFile(new URL(readme, import.meta.url), 'utf8')
  return /```ts\n([^`]*createGateway[^`]*)```/.exec(text)![1]!
}

async function bundleExample(): Promise<string> {
  const example = await readExample('../README.md')
  const users = `export const verifyUser = (request, env) =>
    request.headers.get('authorization') === 'Bearer ada' && env.SESSION_SECRET ? { id: 'ada' } : undefined`
  const { outputFiles } = await build({
    stdin: { contents: example, resolveDir: folder, loader: 'ts' },
    bundle: true,
    write: false,
    format: 'esm',
    conditions: ['workerd', 'worker', 'browser'],
    alias: { '@x/edge': `${folder}../src/index.ts` },
    plugins: [
      {
        name: 'users',
        setup(builder) {
          builder.onResolve({ filter: /users\.js$/ }, () => ({ path: 'users', namespace: 'users' }))
          builder.onLoad({ filter: /./, namespace: 'users' }, () => ({ contents: users }))
        },
      },
    ],
  })
  return outputFiles[0]!.text
}

test('the README’s ten lines run: tools of both servers, secrets added, strangers refused', async () => {
  const url = `${worker.url}/mcp`
  const client = await connect({ url, auth: { type: 'bearer', token: 'ada' } })
  expect((await client.listTools()).map(({ name }) => name).sort()).toEqual(['notes__read', 'weather__forecast'])
  expect((await client.callTool('weather__forecast')).content).toEqual([{ type: 'text', text: 'sun' }])
  expect((await client.callTool('notes__read')).content).toEqual([{ type: 'text', text: 'milk' }])
  expect(new Set(worker.credentials)).toEqual(new Set(['Bearer token-of-the-notes']))
  await client.close()
  await expect(connect({ url })).rejects.toThrow(UnauthorizedError)
})

test('the project’s README shows the same lines', async () => {
  expect(await readExample('../../../README.md')).toBe(await readExample('../README.md'))
})
