import { test as base, expect } from './fixtures.js'
import { createPlayground } from './playground-page.js'

// A server that nobody here wrote: @modelcontextprotocol/server-everything, over Streamable HTTP.
const test = base.extend<{ app: ReturnType<typeof createPlayground> }>({
  app: async ({ page, playground, everything, problems }, use) => {
    const app = createPlayground(page, playground)
    await app.open()
    await app.connectTo(everything)
    await expect(app.server).toHaveAttribute('data-status', 'ready')
    await use(app)
    expect(problems).toEqual([])
  },
})

test('speaks an earlier revision, and lists its tools', async ({ page, app }) => {
  await expect(page.getByTestId('revision')).toHaveText('2025-11-25 · legacy')
  await expect(app.server).toContainText('streamable-http')
  await expect(page.locator('[data-testid="item"][data-name="echo"]')).toBeVisible()
})

test('echoes', async ({ page, app }) => {
  await app.choose('echo')
  await page.getByLabel('message').fill('hello everything')
  await app.call()
  await expect(app.block('text').locator('pre')).toHaveText('Echo: hello everything')
})

test('adds numbers', async ({ page, app }) => {
  await app.choose('get-sum')
  await page.getByLabel('a required', { exact: true }).fill('2')
  await page.getByLabel('b required', { exact: true }).fill('40')
  await app.call()
  await expect(app.block('text')).toContainText('42')
})

test('returns an image', async ({ app }) => {
  await app.choose('get-tiny-image')
  await app.call()
  const image = app.block('image').getByRole('img')
  await expect.poll(() => image.evaluate((img: HTMLImageElement) => img.naturalWidth)).toBeGreaterThan(0)
})

test('returns structured content', async ({ page, app }) => {
  await app.choose('get-structured-content')
  await page.getByLabel('location').selectOption('Chicago')
  await app.call()
  await app.show('Structured')
  await expect(app.result.getByRole('tree', { name: 'Structured content' })).toContainText('temperature')
})

test('reports the progress of a long operation', async ({ page, app }) => {
  await app.choose('trigger-long-running-operation')
  await page.getByLabel('duration').fill('1')
  await page.getByLabel('steps').fill('4')
  await app.call()
  await app.result.getByText('4 progress messages').click()
  await expect(app.result.getByTestId('progress').getByRole('listitem')).toContainText(
    [1, 2, 3, 4].map((step) => `${step} / 4`),
  )
})
