// Web in a new page of the runner's browser, core in the page's worker.
import { chromium } from '@playwright/test'
import type { PageScope } from '../page/page.js'
import { runClientCommand, variable } from './client-command.js'

await runClientCommand(async (job) => {
  const browser = await chromium.connect(variable('CONFORMANCE_BROWSER'))
  try {
    const page = await browser.newPage()
    const faults: string[] = []
    page.on('pageerror', (error) => faults.push(`uncaught on the page: ${error.message}`))
    page.on('console', (message) => console.error(`[${message.type()}] ${message.text()}`))
    await page.goto(variable('CONFORMANCE_PAGE'))
    const failure = await page.evaluate(
      (given) => (globalThis as unknown as PageScope).runJob(JSON.parse(given)),
      JSON.stringify(job),
    )
    if (failure) faults.push(failure)
    if (faults.length > 0) throw new Error(faults.join('; '))
  } finally {
    await browser.close()
  }
})
