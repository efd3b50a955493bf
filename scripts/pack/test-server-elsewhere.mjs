import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { isDeepStrictEqual } from 'node:util'
import { chromium } from '@playwright/test'
import { build } from 'esbuild'
import { tsImport } from 'tsx/esm/api'
import { Failure } from '../failure.mjs'
import { chatInWorkerd } from './in-workerd.mjs'

const { launchOptions } = await tsImport('@x/testkit/browser', import.meta.url)

/** Runs a stranger's use of `@x/core/testing` in a page and in a worker of real Chromium, where no request may leave, and in workerd. */
export async function checkTestServer(consumer) {
  const script = await bundle(consumer)
  const { expected } = await import(pathToFileURL(path.join(consumer, 'chat-expected.mjs')))
  const browser = await chromium.launch(await launchOptions())
  try {
    const page = await browser.newPage()
    const requests = []
    await page.route('**/*', (route) => {
      const { href, pathname } = new URL(route.request().url())
      if (pathname === '/') return route.fulfill({ contentType: 'text/html', body: '<title>page</title>' })
      if (pathname === '/chat.js') return route.fulfill({ contentType: 'text/javascript', body: script })
      if (pathname !== '/favicon.ico') requests.push(href)
      return route.abort()
    })
    await page.goto('http://localhost/')
    const inPage = await page.evaluate(async () => (await import('/chat.js')).chat())
    const inWorker = await page.evaluate(
      () =>
        new Promise((resolve, reject) => {
          const worker = new Worker('/chat.js', { type: 'module' })
          worker.onmessage = ({ data }) => resolve(data)
          worker.onerror = ({ message }) => reject(new Error(message))
          worker.postMessage('chat')
        }),
    )
    for (const [where, seen] of Object.entries({
      page: inPage,
      worker: inWorker,
      workerd: await chatInWorkerd(consumer),
    }))
      if (!isDeepStrictEqual(seen, expected))
        throw new Failure(`pack-check: with @x/core/testing ${where} sees ${JSON.stringify(seen)}`)
    if (requests.length > 0) throw new Failure(`pack-check: @x/core/testing makes requests to ${requests.join(', ')}`)
  } finally {
    await browser.close()
  }
}

/** One module for both: what it exports is for the page, and the worker is asked by a message. */
async function bundle(consumer) {
  const { outputFiles } = await build({
    stdin: {
      contents: `import { chat } from './chat.mjs'
        export { chat }
        const answer = (seen) => postMessage(seen)
        const fail = (error) => setTimeout(() => { throw error })
        if (!globalThis.document) onmessage = () => chat().then(answer, fail)`,
      resolveDir: consumer,
    },
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'browser',
  })
  return outputFiles[0].text
}
