import { chromium } from '@playwright/test'
import { launchOptions } from '@x/testkit/browser'
import type { PageScope } from '../page/page.js'
import { servePage } from '../page/serve-page.js'
import type { StepReport } from '../steps/run-steps.js'
import type { Runtime } from './runtime.js'

/**
 * Web in a page of Chromium, core in the page's own worker file. Each job gets a new context.
 *
 * @throws Error that says what to do, where there is no Chromium.
 */
export async function createChromiumRuntime(): Promise<Runtime> {
  const browser = await chromium.launch(await launchOptions())
  const site = await servePage()
  return {
    async run(job) {
      const context = await browser.newContext()
      try {
        const page = await context.newPage()
        const faults: string[] = []
        page.on('pageerror', (error) => faults.push(`uncaught on the page: ${error.message}`))
        await page.goto(site.url)
        const steps = await page.evaluate(
          (given) => (globalThis as unknown as PageScope).runJob(JSON.parse(given)),
          JSON.stringify(job),
        )
        return { steps: JSON.parse(steps) as StepReport[], faults }
      } finally {
        await context.close()
      }
    },
    async close() {
      await browser.close()
      await site.close()
    },
  }
}
