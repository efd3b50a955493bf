import { chromium } from '@playwright/test'
import { launchOptions } from '@x/testkit/browser'
import { servePage } from './page/serve-page.js'

/** What the Chromium client needs: one browser for all runs, and the page that each opens anew. */
export interface StartedBrowser {
  /** Where both are, for the client's process. */
  env: Record<string, string>
  close(): Promise<void>
}

/** @throws Error that says what to do, where there is no Chromium. */
export async function startBrowser(): Promise<StartedBrowser> {
  const browser = await chromium.launchServer(await launchOptions())
  const page = await servePage()
  return {
    env: { CONFORMANCE_BROWSER: browser.wsEndpoint(), CONFORMANCE_PAGE: page.url },
    async close() {
      await browser.close()
      await page.close()
    },
  }
}
