import { mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { startContractServer } from '@x/testkit'
import { build, type InlineConfig, preview } from 'vite'
import { test as base, expect } from './fixtures.js'

const strict = "default-src 'none'; script-src 'self'; worker-src 'self'; connect-src 'self' http://127.0.0.1:*"
const policies = {
  'strict-csp': strict,
  'blob-worker': strict.replace("worker-src 'self'", "worker-src 'self' blob:"),
}
type PageName = keyof typeof policies

const test = base.extend<object, { server: string; pages: Record<PageName, string> }>({
  server: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads a fixture's needs off its first parameter.
    async ({}, use) => {
      const server = await startContractServer()
      await use(server.url)
      await server.close()
    },
    { scope: 'worker' },
  ],
  /** Each page's URL, served with its policy on every response: a worker obeys the policy of its own file. */
  pages: [
    // biome-ignore lint/correctness/noEmptyPattern: as above.
    async ({}, use) => {
      const root = fileURLToPath(new URL('../pages', import.meta.url))
      const outDir = await mkdtemp(path.join(os.tmpdir(), 'x-pages-'))
      const names = Object.keys(policies) as PageName[]
      const input = names.map((name) => path.join(root, name, 'index.html'))
      const config: InlineConfig = { root, configFile: false, logLevel: 'warn', worker: { format: 'es' } }
      await build({ ...config, build: { outDir, emptyOutDir: true, target: 'es2022', rollupOptions: { input } } })
      const servers = await Promise.all(
        names.map((name) =>
          preview({
            ...config,
            build: { outDir },
            preview: { host: '127.0.0.1', port: 0, headers: { 'Content-Security-Policy': policies[name] } },
          }),
        ),
      )
      const urls = names.map((name, index) => [name, `${servers[index]!.resolvedUrls!.local[0]}${name}/`])
      await use(Object.fromEntries(urls))
      await Promise.all(servers.map((server) => server.close()))
      await rm(outDir, { recursive: true })
    },
    { scope: 'worker' },
  ],
})

for (const name of Object.keys(policies) as PageName[])
  for (const era of ['modern', 'legacy'])
    test(`LS-99 ${name}: a tool of a ${era} server is called from a worker, its result checked, and the policy stops nothing`, async ({
      page,
      pages,
      server,
      problems,
    }) => {
      const response = await page.goto(`${pages[name]}?server=${encodeURIComponent(`${server}/${era}/mcp`)}`)
      expect(response?.headers()['content-security-policy']).toBe(policies[name])
      await expect(page.locator('output')).toContainText('{')
      expect(JSON.parse((await page.locator('output').textContent())!)).toEqual({
        era,
        outputSchema: expect.objectContaining({ type: 'object' }),
        structuredContent: { sum: 42 },
        findings: [],
        wrong: [expect.objectContaining({ code: 'output-schema', path: '/structuredContent/sum' })],
      })
      expect(page.workers()).toHaveLength(1)
      expect(problems).toEqual([])
    })

test("the strict policy is in force: without blob: the worker from a Blob doesn't start", async ({
  page,
  pages,
  server,
  problems,
}) => {
  const blobPageUnderStrictPolicy = pages['strict-csp'].replace('strict-csp', 'blob-worker')
  await page.goto(`${blobPageUnderStrictPolicy}?server=${encodeURIComponent(`${server}/modern/mcp`)}`)
  await expect(page.locator('output')).toContainText('HostError')
  expect(problems.join('\n')).toContain('securitypolicyviolation: worker-src blocked blob')
})
