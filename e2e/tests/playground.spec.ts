import { fileURLToPath } from 'node:url'
import type { Page } from '@playwright/test'
import { test as base, expect } from './fixtures.js'
import { deadEndpoint } from './misbehaving-servers.js'
import { type Playground, usePlayground } from './playground-page.js'

const test = base.extend<{ app: Playground }>({ app: usePlayground })

const readable = (page: Page) => page.evaluate(() => navigator.clipboard.readText())

test.describe('the demo server', () => {
  test.beforeEach(({ app }) => app.connectToDemo())

  test('tells what it is, from a worker and without a complaint of the browser', async ({ page, app, problems }) => {
    await expect(app.server).toContainText('Demo server')
    await expect(page.getByTestId('revision')).toHaveText('2026-07-28 · modern')
    await expect(app.server).toContainText('streamable-http')
    await expect(page.getByTestId('tools-list')).toHaveAttribute('data-status', 'ready')
    await page.getByRole('button', { name: 'Server details' }).click()
    const details = page.getByRole('dialog')
    await expect(details).toContainText('A demo server for trying out MCP clients')
    await expect(details.getByRole('tree', { name: 'Capabilities' })).toContainText('listChanged')
    await page.keyboard.press('Escape')
    await expect(details).toBeHidden()
    expect(page.workers()).toHaveLength(1)
    expect(problems).toEqual([])
  })

  test('lists its tools, and finds them by words', async ({ page, app }) => {
    const items = page.getByTestId('item')
    await expect(items.filter({ hasText: 'Weather report' })).toBeVisible()
    await page.getByLabel('Search tools').fill('resource link')
    await expect(items).toHaveCount(1)
    await page.getByLabel('Search tools').fill('no such thing')
    await expect(page.getByText('Nothing found')).toBeVisible()
    await page.getByLabel('Search tools').fill('')
    await app.choose('weather')
    await expect(page.getByTestId('tool')).toContainText('read-only')
    await page.getByText('Output schema', { exact: true }).click()
    await expect(page.getByRole('tree', { name: 'Output schema' })).toContainText('forecast')
  })

  test('returns text', async ({ page, app }) => {
    await app.choose('echo')
    await page.getByLabel('Message').fill('Grüße\n<b>not bold</b>')
    await app.call()
    await expect(app.block('text').locator('pre')).toHaveText('Grüße\n<b>not bold</b>')
  })

  test('returns a picture and a sound that the browser can show and play', async ({ page, app }) => {
    await app.choose('image')
    await app.call()
    await expect(app.block('image').getByText('320 × 200')).toBeVisible()
    await app.choose('audio')
    await app.call()
    const audio = app.block('audio').locator('audio')
    await expect(audio).toBeVisible()
    await expect.poll(() => audio.evaluate((player: HTMLAudioElement) => player.duration)).toBeCloseTo(1.2, 1)
    const download = page.waitForEvent('download')
    await app.block('audio').getByRole('link', { name: 'Download' }).click()
    expect((await download).suggestedFilename()).toBe('audio.wav')
  })

  test('returns embedded resources: text as text, bytes to look at and to keep', async ({ page, app }) => {
    await app.choose('embedded_resource')
    await page.getByLabel('Kind').selectOption('text')
    await app.call()
    await expect(app.block('resource').getByTestId('resource')).toContainText('demo://')
    await expect(app.block('resource').locator('pre')).not.toBeEmpty()
    await page.getByLabel('Kind').selectOption('blob')
    await app.call()
    await expect(app.block('resource').getByRole('link', { name: 'Download' })).toBeVisible()
  })

  test('returns links that are opened by nobody but a person', async ({ page, app }) => {
    const requests: string[] = []
    page.on('request', (request) => requests.push(request.url()))
    await app.choose('resource_link')
    await app.call()
    const links = app.block('resource_link')
    await expect(links.first()).toBeVisible()
    for (const link of await links.getByRole('link').all()) {
      expect(await link.getAttribute('href')).toMatch(/^https?:/)
      expect(await link.getAttribute('rel')).toContain('noopener')
    }
    await expect(links.filter({ hasText: 'demo://' }).first().getByRole('link')).toHaveCount(0)
    expect(requests.filter((request) => !request.endsWith('/demo/mcp'))).toEqual([])
  })

  test('returns structured content, shown as a tree that the keyboard opens and closes', async ({ page, app }) => {
    await app.choose('weather')
    await page.getByLabel('City').selectOption('Oslo')
    await page.getByLabel('Days').fill('2')
    await app.call()
    await app.show('Structured')
    const tree = app.result.getByRole('tree', { name: 'Structured content' })
    await expect(tree).toContainText('city:"Oslo"')
    await tree.focus()
    await page.keyboard.press('Home')
    await page.keyboard.press('ArrowLeft')
    await expect(tree.getByRole('treeitem')).toHaveCount(1)
    await page.keyboard.press('ArrowRight')
    await expect(tree).toContainText('country:"Norway"')
    await app.show('Model view')
    await expect(page.getByTestId('model-view').locator('pre')).toContainText('"city": "Oslo"')
  })

  test('shows progress in order, and the result after it', async ({ page, app }) => {
    await app.choose('progress')
    await page.getByLabel('Steps').fill('4')
    await page.getByLabel('Delay').fill('50')
    await page.getByTestId('call').click()
    await expect(app.result.getByRole('progressbar')).toBeVisible()
    await expect(app.result).toHaveAttribute('data-status', 'done')
    await app.result.getByText('4 progress messages').click()
    await expect(app.result.getByTestId('progress').getByRole('listitem')).toHaveText(
      [1, 2, 3, 4].map((step) => `${step} / 4 Step ${step} of 4`),
    )
    await expect(app.block('text')).toContainText('Done in 4 steps.')
  })

  test('is told to stop a slow call, and takes the next one', async ({ page, app }) => {
    await app.choose('slow')
    await page.getByTestId('call').click()
    await expect(app.result).toHaveAttribute('data-status', 'running')
    await page.getByRole('button', { name: 'Cancel' }).click()
    await expect(app.result).toHaveAttribute('data-status', 'cancelled')
    await page.getByLabel('Duration').fill('1')
    await app.call()
    await expect(app.block('text')).toContainText('Slept for 1 ms.')
    await page.getByLabel('Which run to show').selectOption({ index: 1 })
    await expect(app.result).toHaveAttribute('data-status', 'cancelled')
  })

  test('reports a tool’s failure as the tool’s, also as a model would be told', async ({ page, app }) => {
    await app.choose('error')
    await page.getByLabel('Message').fill('out of tea')
    await app.call('tool-error')
    await expect(app.result).toContainText('The tool ran, and reports a failure')
    await expect(app.block('text')).toContainText('out of tea')
    await app.show('Model view')
    await expect(page.getByTestId('model-view')).toContainText('ERR_MCP_TOOL')
    await expect(page.getByTestId('model-view').locator('pre')).toContainText('out of tea')
  })

  test('offers resources, templates and prompts', async ({ page, app }) => {
    await app.section('Resources')
    await page.locator('[data-name="demo://cities.json"]').click()
    await page.getByRole('button', { name: 'Read resource' }).click()
    await expect(app.result.getByTestId('resource').locator('pre')).toContainText('"name": "Auckland"')
    await page.locator('[data-name="demo://city/{name}"]').click()
    await page.getByLabel('name', { exact: true }).fill('São')
    await expect(page.locator('datalist option')).toHaveAttribute('value', 'São Paulo')
    await page.getByLabel('name', { exact: true }).fill('São Paulo')
    await expect(page.getByText('demo://city/S%C3%A3o%20Paulo')).toBeVisible()
    await page.getByRole('button', { name: 'Read resource' }).click()
    await expect(app.result).toHaveAttribute('data-status', 'done')
    await expect(app.result.getByTestId('resource')).toContainText('Brazil')
    await app.section('Prompts')
    await page.locator('[data-name="plan_trip"]').click()
    await page.getByRole('button', { name: 'Get prompt' }).click()
    await expect(page.getByText('Required.').first()).toBeVisible()
    await page.locator('[data-name="describe_picture"]').click()
    await page.getByRole('button', { name: 'Get prompt' }).click()
    await expect(app.block('image').getByRole('img')).toBeVisible()
  })

  test('changes its list, which can be read again', async ({ page, app }) => {
    const again = page.getByRole('button', { name: 'Read the list of tools again' })
    await app.choose('add_tool')
    await app.call()
    await again.click()
    await expect(page.locator('[data-name="roll_dice"]')).toBeVisible()
    await app.choose('remove_tool')
    await app.call()
    await again.click()
    await expect(page.locator('[data-name="roll_dice"]')).toHaveCount(0)
    await expect(page.getByTestId('tool')).toHaveAttribute('data-name', 'remove_tool')
  })

  test('can be left and connected to again', async ({ page, app }) => {
    await page.getByRole('button', { name: 'Disconnect' }).click()
    await expect(page.getByTestId('app')).toHaveAttribute('data-status', 'idle')
    await app.connectToDemo()
    await expect(page.getByTestId('item').first()).toBeVisible()
  })
})

test('the page has its strict policy in the header and, for static hosting, in itself', async ({ page, app }) => {
  const response = await page.reload()
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  const policy = await page.locator('meta[http-equiv="Content-Security-Policy"]').getAttribute('content')
  expect(policy).toBe(
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; media-src blob: data:; connect-src *; worker-src 'self'; font-src 'self'; base-uri 'none'; form-action 'none'",
  )
  expect(response?.headers()['content-security-policy']).toBe(`${policy}; frame-ancestors 'none'`)
  await app.connectToDemo()
})

test('a tool is found, filled in and called by keyboard alone', async ({ page, app }) => {
  const tabTo = async (reached: () => Promise<boolean>) => {
    for (let presses = 0; presses < 40; presses += 1) {
      if (await reached()) return
      await page.keyboard.press('Tab')
    }
    throw new Error('not reached by Tab')
  }
  const focused = (selector: string) => page.evaluate((css) => document.activeElement?.matches(css) ?? false, selector)
  const focusedText = () => page.evaluate(() => document.activeElement?.textContent ?? '')
  await tabTo(async () => (await focusedText()) === 'Connect to the demo server')
  await page.keyboard.press('Enter')
  await expect(app.server).toHaveAttribute('data-status', 'ready')
  await expect(page.getByTestId('item').first()).toBeVisible()
  await tabTo(() => focused('[data-testid="item"]'))
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('ArrowUp')
  expect(await focusedText()).toContain('echo')
  await page.keyboard.press('Enter')
  await tabTo(() => focused('textarea'))
  await page.keyboard.type('by keyboard')
  await page.keyboard.press('Control+Enter')
  await expect(app.result).toHaveAttribute('data-status', 'done')
  await expect(app.block('text')).toContainText('by keyboard')
})

test('arguments that don’t fit are pointed out, and sent all the same when one insists', async ({ page, app }) => {
  await app.connectToDemo()
  await app.choose('weather')
  const days = page.getByLabel('Days')
  await days.fill('90')
  await page.getByTestId('call').click()
  await expect(days).toBeFocused()
  await expect(days).toHaveAttribute('aria-invalid', 'true')
  await expect(page.getByText('90 is greater than 7.')).toBeVisible()
  await expect(app.result).toHaveCount(0)
  await page.getByRole('button', { name: 'Call anyway' }).click()
  await expect(app.result).toHaveAttribute('data-status', /^(tool-error|failed)$/)
})

test('arguments are the same in the form and as JSON', async ({ page, app }) => {
  await app.connectToDemo()
  await app.choose('echo')
  await page.getByLabel('Message').fill('from the form')
  await page.getByRole('radio', { name: 'JSON' }).check({ force: true })
  const editor = page.getByRole('textbox', { name: 'Arguments of echo as JSON' })
  await expect(editor).toContainText('"message": "from the form"')
  await editor.fill('{"message": ')
  await expect(page.getByText('This is not valid JSON')).toBeVisible()
  await page.getByTestId('call').click()
  await expect(app.result).toHaveCount(0)
  await editor.fill('{"message": "from the editor"}')
  await page.keyboard.press('Control+Enter')
  await expect(app.block('text').locator('pre')).toHaveText('from the editor')
  await page.getByRole('radio', { name: 'Form' }).check({ force: true })
  await expect(page.getByLabel('Message')).toHaveValue('from the editor')
})

for (const theme of ['light', 'dark'] as const)
  test(`axe finds nothing wrong in the ${theme} theme`, async ({ page, app }) => {
    await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' })
    expect(await app.axe()).toEqual([])
    await app.connectTo('http://')
    expect(await app.axe()).toEqual([])
    await app.connectTo(await deadEndpoint())
    await expect(app.card).toBeVisible()
    expect(await app.axe()).toEqual([])
    await app.connectToDemo()
    await expect(page.getByTestId('item').first()).toBeVisible()
    expect(await app.axe()).toEqual([])
    await app.choose('form')
    await page.getByTestId('call').click()
    await expect(page.getByRole('button', { name: 'Call anyway' })).toBeVisible()
    expect(await app.axe()).toEqual([])
    await app.choose('mixed')
    await app.call()
    expect(await app.axe()).toEqual([])
    await app.show('Raw')
    expect(await app.axe()).toEqual([])
    await app.section('Resources')
    expect(await app.axe()).toEqual([])
    await app.section('Events')
    expect(await app.axe()).toEqual([])
  })

test('the theme can be chosen, and is remembered; nothing else is but the last URL', async ({ page, app }) => {
  const scheme = () => page.evaluate(() => getComputedStyle(document.documentElement).colorScheme)
  await page.getByLabel('Bearer token').check({ force: true })
  await page.getByLabel('Token', { exact: true }).fill('s3cret')
  await page.getByLabel('Dark').check({ force: true })
  expect(await scheme()).toBe('dark')
  await page.getByLabel('Server URL').fill('http://127.0.0.1:9/mcp?key=s3cret')
  await page.getByRole('button', { name: 'Connect', exact: true }).click()
  await expect(app.card).toBeVisible()
  const stored = await page.evaluate(() =>
    JSON.stringify({ ...localStorage, ...sessionStorage, cookie: document.cookie }),
  )
  expect(stored).not.toContain('s3cret')
  await page.reload()
  await expect(page.getByLabel('Server URL')).toHaveValue('http://127.0.0.1:9/mcp')
  expect(await scheme()).toBe('dark')
})

test('a link fills in the server and the tool, and connects only when it is told to', async ({
  page,
  app,
  context,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await app.connectToDemo()
  await app.choose('weather')
  await page.getByRole('button', { name: 'Copy link' }).click()
  await expect(page.getByText('Link copied')).toBeVisible()
  await page.goto(await readable(page))
  await expect(page.getByTestId('app')).toHaveAttribute('data-status', 'idle')
  await page.getByRole('button', { name: 'Connect', exact: true }).click()
  await expect(page.getByTestId('tool')).toHaveAttribute('data-name', 'weather')
})

test('a narrow screen shows one thing after the other, and nothing sideways', async ({ page, app }) => {
  await page.setViewportSize({ width: 360, height: 740 })
  const overflow = () =>
    page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)
  expect(await overflow()).toBe(0)
  await app.connectToDemo()
  expect(await overflow()).toBe(0)
  await app.choose('mixed')
  await app.call()
  expect(await overflow()).toBe(0)
  await page.getByRole('button', { name: 'All tools' }).click()
  await expect(page.getByTestId('item').first()).toBeVisible()
})

test('the picture of the playground for the README', async ({ page, app }) => {
  await page.setViewportSize({ width: 1280, height: 800 })
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' })
  await app.connectToDemo()
  await app.choose('weather')
  await page.getByLabel('City').selectOption('Reykjavík')
  await page.getByLabel('Days').fill('3')
  await app.call()
  await app.show('Structured')
  await expect(app.result.getByRole('tree')).toContainText('Reykjavík')
  await page.mouse.move(0, 0)
  const picture = fileURLToPath(new URL('../../docs/playground.png', import.meta.url))
  expect((await page.screenshot({ path: picture })).byteLength).toBeGreaterThan(20_000)
})
