import AxeBuilder from '@axe-core/playwright'
import type { Page } from '@playwright/test'
import { expect } from './fixtures.js'

export type Playground = ReturnType<typeof createPlayground>

/** A fixture: the playground, opened. At the end of the test its policy must have had nothing to refuse. */
export async function usePlayground(
  { page, playground, problems }: { page: Page; playground: string; problems: string[] },
  use: (app: Playground) => Promise<void>,
) {
  const app = createPlayground(page, playground)
  await app.open()
  await use(app)
  expect(problems.filter((text) => text.includes('securitypolicyviolation'))).toEqual([])
}

/** The playground as a person works with it. */
export function createPlayground(page: Page, url: string) {
  const card = page.getByTestId('error-card')
  const result = page.getByTestId('result')
  const server = page.getByTestId('server')

  async function open(query = '') {
    await page.goto(`${url}${query}`)
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  }

  async function connectTo(endpoint: string) {
    await page.getByLabel('Server URL').fill(endpoint)
    await page.getByRole('button', { name: 'Connect', exact: true }).click()
  }

  async function connectToDemo() {
    await page.getByRole('button', { name: 'Connect to the demo server' }).click()
    await expect(server).toHaveAttribute('data-status', 'ready')
  }

  async function connectThroughGateway() {
    await page.getByRole('button', { name: 'Connect through the gateway' }).click()
    await expect(server).toHaveAttribute('data-status', 'ready')
  }

  async function choose(tool: string) {
    await page.locator(`[data-testid="item"][data-name="${tool}"]`).click()
    await expect(page.getByTestId('tool')).toHaveAttribute('data-name', tool)
  }

  /** Calls the chosen tool and waits until the call has ended as `outcome` says. */
  async function call(outcome = 'done') {
    await page.getByTestId('call').click()
    await expect(result).toHaveAttribute('data-status', outcome, { timeout: 20_000 })
  }

  return {
    card,
    result,
    server,
    open,
    connectTo,
    connectToDemo,
    connectThroughGateway,
    choose,
    call,
    block: (type: string) => result.locator(`[data-testid="block"][data-type="${type}"]`),
    show: (view: string) => result.getByRole('tab', { name: view }).click(),
    section: (name: string) => page.getByRole('tab', { name }).first().click(),
    /** What axe finds wrong, in a form that a failed test can print. */
    axe: async () => {
      const { violations } = await new AxeBuilder({ page }).analyze()
      return violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(' | ')}`)
    },
  }
}
