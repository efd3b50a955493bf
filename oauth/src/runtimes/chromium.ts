import { chromium } from '@playwright/test'
import { launchOptions } from '@x/testkit/browser'
import type { JourneyReport } from '../journeys/stage.js'
import type { PageScope, Runner } from '../page/page.js'
import { servePage } from '../page/serve-page.js'
import { createPerson } from './person.js'
import type { Runtime } from './runtime.js'

/**
 * Web in a page of Chromium, core in the page's own worker file; a person at the windows that it opens. Each journey gets a
 * new context.
 *
 * @throws Error that says what to do, where there is no Chromium.
 */
export async function createChromiumRuntime(): Promise<Runtime> {
  const browser = await chromium.launch(await launchOptions())
  const site = await servePage()
  return {
    redirectUrl: `${site.url}/callback`,
    async run(journey, server, credentials) {
      const context = await browser.newContext()
      const urls: string[] = []
      const lines: string[] = []
      const faults: string[] = []
      const person = createPerson()
      const runner: Runner = {
        readServer: () => server.read(),
        changeServer: (change) => server.change(change),
        answer: async (answers) => person.answer(answers),
      }
      try {
        context.on('request', (request) => urls.push(request.url()))
        context.on('console', (message) => lines.push(message.text()))
        context.on('weberror', (error) => faults.push(`uncaught: ${String(error.error())}`))
        const page = await context.newPage()
        context.on('page', (opened) => person.watch(opened, (fault) => faults.push(fault)))
        for (const [name, call] of Object.entries(runner)) await page.exposeFunction(name, call)
        await page.goto(site.url)
        const { name } = journey
        const { issuer, resource } = server
        const given = JSON.stringify({ journey: name, issuer, resource, credentials })
        const told = await page
          .evaluate((job) => (globalThis as unknown as PageScope).runJourney(JSON.parse(job)), given)
          .catch((error: unknown) => {
            throw new Error([String(error), ...faults].join('; '))
          })
        const report = JSON.parse(told) as JourneyReport
        for (const fault of faults) report.checks.push({ what: fault, held: false })
        report.surfaces.console.push(...lines)
        report.surfaces.URLs.push(...urls)
        return report
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
