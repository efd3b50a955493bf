import { chromium } from '@playwright/test'
import { build } from 'esbuild'
import { tsImport } from 'tsx/esm/api'
import { Failure } from '../failure.mjs'

const { launchOptions } = await tsImport('@x/testkit/browser', import.meta.url)

/** Imports all entries in a page of real Chromium: no worker, request, listener, storage or global may come of it. */
export async function checkPage(consumer, entries) {
  const imports = entries.map((entry, index) => `import * as entry${index} from '${entry}'`)
  const { outputFiles } = await build({
    stdin: {
      contents: `${imports.join('\n')}\nglobalThis.imported = [${entries.map((_, index) => `entry${index}`)}].length`,
      resolveDir: consumer,
    },
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'browser',
  })
  const browser = await chromium.launch(await launchOptions())
  try {
    const page = await browser.newPage()
    const effects = []
    page.on('worker', () => effects.push('a worker was started'))
    page.on('pageerror', (error) => effects.push(`an error: ${error.message}`))
    page.on('console', (line) => effects.push(`the console says ${line.text()}`))
    await page.route('**/*', (route) => {
      const { pathname } = new URL(route.request().url())
      if (pathname === '/') return route.fulfill({ contentType: 'text/html', body: '<title>page</title>' })
      if (pathname === '/entries.js')
        return route.fulfill({ contentType: 'text/javascript', body: outputFiles[0].text })
      if (pathname !== '/favicon.ico') effects.push(`a request to ${pathname}`)
      return route.abort()
    })
    await page.goto('http://localhost/')
    effects.push(
      ...(await page.evaluate(async () => {
        const seen = []
        for (const [owner, name] of [
          [globalThis, 'fetch'],
          [globalThis, 'setTimeout'],
          [globalThis, 'addEventListener'],
          [navigator.locks, 'request'],
          [indexedDB, 'open'],
        ]) {
          const original = owner[name]
          owner[name] = (...args) => {
            seen.push(`${name} was called`)
            return original.apply(owner, args)
          }
        }
        const before = new Set(Object.keys(globalThis))
        await import('/entries.js')
        for (const key of Object.keys(globalThis))
          if (!before.has(key) && key !== 'imported') seen.push(`the global ${key} was set`)
        if (localStorage.length + sessionStorage.length > 0) seen.push('something was stored')
        return seen
      })),
    )
    if ((await page.evaluate(() => globalThis.imported)) !== entries.length)
      effects.push('the entries were not imported')
    if (effects.length > 0) throw new Failure(`pack-check: importing in a page has effects: ${effects.join('; ')}`)
  } finally {
    await browser.close()
  }
}
