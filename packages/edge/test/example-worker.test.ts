import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { connect, UnauthorizedError } from '@x/core'
import { sign } from 'hono/jwt'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runWithServers, type WorkerWithServers } from './support/named-servers.js'

const example = fileURLToPath(new URL('../../../examples/worker', import.meta.url))
const secrets = { JWT_SECRET: 'signs the tokens of the page', NOTES_TOKEN: 'token-of-the-notes' }

let outdir: string
let said: string
let worker: WorkerWithServers | undefined

beforeAll(async () => {
  outdir = await mkdtemp(path.join(tmpdir(), 'example-worker-'))
  const wrangler = path.join(example, 'node_modules/wrangler/bin/wrangler.js')
  const { stdout, stderr } = await promisify(execFile)(
    process.execPath,
    [wrangler, 'deploy', '--dry-run', '--outdir', outdir],
    { cwd: example, env: { ...process.env, WRANGLER_SEND_METRICS: 'false', WRANGLER_LOG_PATH: outdir, CI: '1' } },
  )
  said = stdout + stderr
  worker = await runWithServers(await readFile(path.join(outdir, 'index.js'), 'utf8'), {
    PUBLIC_URL: 'https://tools.example',
    PAGE_ORIGIN: 'https://chat.example',
    SESSION_SECRET: 'a secret of the tests, long enough to sign',
    ...secrets,
  })
}, 60_000)

afterAll(async () => {
  await worker?.stop()
  if (outdir) await rm(outdir, { recursive: true })
})

const expires = (inSeconds: number) => Math.floor(Date.now() / 1000) + inSeconds

test('the example can be deployed: wrangler bundles it without a warning', () => {
  expect(said).toContain('--dry-run: exiting now.')
  expect(said).not.toMatch(/warning|error/i)
})

test('what wrangler bundled serves the user whose token was signed', async () => {
  const token = await sign({ sub: 'ada', exp: expires(60) }, secrets.JWT_SECRET, 'HS256')
  const client = await connect({ url: `${worker!.url}/mcp`, auth: { type: 'bearer', token } })
  expect((await client.callTool('notes__read')).content).toEqual([{ type: 'text', text: 'milk' }])
  expect(new Set(worker!.credentials)).toEqual(new Set([`Bearer ${secrets.NOTES_TOKEN}`]))
  await client.close()
})

test.each([
  ['signed by someone else', { sub: 'ada', exp: expires(60) }, 'another secret'],
  ['expired', { sub: 'ada', exp: expires(-60) }, secrets.JWT_SECRET],
  ['nobody’s', { exp: expires(60) }, secrets.JWT_SECRET],
])('it refuses a token that is %s', async (_, claims, secret) => {
  const token = await sign(claims, secret, 'HS256')
  const refused = connect({ url: `${worker!.url}/mcp`, auth: { type: 'bearer', token } })
  await expect(refused).rejects.toThrow(UnauthorizedError)
})
