import { chromium as browsers } from '@playwright/test'
import { launchOptions } from '../../browser.js'
import { startScriptedServer } from '../../scripted-server.js'
import { bundleRealm } from '../bundle-realm.js'
import type { ContractControl } from '../log.js'
import type { PageScope } from '../realms/page-scope.js'
import { connectControl } from '../record.js'
import type { ContractHost } from './contract-host.js'

/** Web and the suite in a page of a real Chromium, core in a dedicated worker. */
export const chromium: ContractHost = {
  async start() {
    const [pageScript, workerScript] = await Promise.all([
      bundleRealm('page', 'browser'),
      bundleRealm('browser-worker', 'browser'),
    ])
    const files = new Map([
      ['/page.js', pageScript],
      ['/browser-worker.js', workerScript],
    ])
    const site = await startScriptedServer((request) => {
      const { pathname } = new URL(request.url)
      const script = files.get(pathname)
      if (pathname !== '/' && !script) return new Response('no such file', { status: 404 })
      const type = script ? 'text/javascript' : 'text/html'
      return new Response(script ?? document, { headers: { 'content-type': `${type}; charset=utf-8` } })
    })
    const browser = await browsers.launch(await launchOptions())
    const page = await browser.newPage()
    let control: ContractControl | undefined
    const faults: string[] = []
    page.on('pageerror', (error) => faults.push(`uncaught on the page: ${error.message}`))
    page.on('crash', () => faults.push('the page crashed'))
    await page.exposeFunction('contractControl', (call: keyof ContractControl, args: unknown[]) => {
      if (!control) throw new Error('no case is running')
      return (control[call] as (...given: unknown[]) => Promise<unknown>)(...args)
    })
    await page.goto(site.url)
    await page.waitForFunction(() => 'runContractCase' in globalThis)
    return {
      async run(name, { controlUrl, ...target }) {
        control = connectControl(controlUrl)
        faults.length = 0
        const failure = await page.evaluate(
          ([given, aim]) => (globalThis as unknown as PageScope).runContractCase(given, JSON.parse(aim)),
          [name, JSON.stringify(target)] as const,
        )
        if (failure || faults.length > 0) throw new Error([...faults, failure ?? ''].join('\n'))
        const preflights = (await control.log()).filter(({ kind }) => kind === 'preflight')
        // Without them the browser's CORS is off, and the run proves nothing about browsers.
        if (preflights.length === 0) throw new Error('the server saw no preflight')
      },
      async stop() {
        await browser.close()
        await site.close()
      },
    }
  },
}

const document = '<!doctype html><title>contract</title><script type="module" src="/page.js"></script>'
