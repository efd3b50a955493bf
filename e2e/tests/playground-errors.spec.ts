import { test as base, expect } from './fixtures.js'
import {
  deadEndpoint,
  startFailingServer,
  startFloodingServer,
  startHtmlServer,
  startLockedServer,
} from './misbehaving-servers.js'
import { type Playground, usePlayground } from './playground-page.js'

const test = base.extend<{ app: Playground }>({ app: usePlayground })

// Whatever went wrong, the page is to be used on.
test.afterEach(async ({ page, app }) => {
  if ((await page.getByTestId('app').getAttribute('data-status')) === 'open')
    await page.getByRole('button', { name: 'Disconnect' }).click()
  await app.connectToDemo()
  await app.choose('echo')
  await page.getByLabel('Message').fill('still here')
  await app.call()
  await expect(app.block('text')).toContainText('still here')
})

test('a page of the same site, which is no MCP endpoint', async ({ app, playground }) => {
  await app.connectTo(`${playground}index.html`)
  await expect(app.card).toHaveAttribute('data-code', 'ERR_MCP_INVALID_RESPONSE')
  await expect(app.card).toContainText('Check that the URL is the MCP endpoint itself')
  await expect(app.card.getByRole('table')).toContainText('streamable-http')
})

test('a port that nobody listens on', async ({ app }) => {
  await app.connectTo(await deadEndpoint())
  await expect(app.card).toHaveAttribute('data-code', 'ERR_MCP_CONNECT')
  await expect(app.card).toContainText('Check that the server is running')
})

test('a wrong token, and then the right one', async ({ page, app }) => {
  const server = await startLockedServer()
  await page.getByLabel('Bearer token').check({ force: true })
  await page.getByLabel('Token', { exact: true }).fill('wrong')
  await app.connectTo(`${server.url}/mcp`)
  await expect(app.card).toHaveAttribute('data-code', 'ERR_MCP_UNAUTHORIZED')
  await expect(app.card).toContainText('enter credentials that are still valid')
  await expect(app.card).not.toContainText('wrong')
  await page.getByLabel('Token', { exact: true }).fill('right')
  await page.getByRole('button', { name: 'Connect', exact: true }).click()
  await expect(app.server).toHaveAttribute('data-status', 'ready')
  await expect(page.getByTestId('revision')).toHaveText('2025-11-25 · legacy')
  await server.close()
})

test('a server that fails with 500', async ({ app }) => {
  const server = await startFailingServer()
  await app.connectTo(`${server.url}/mcp`)
  await expect(app.card).toHaveAttribute('data-code', 'ERR_MCP_HTTP')
  await expect(app.card).toContainText('500')
  await expect(app.card).toContainText('Look into the server’s log')
  await server.close()
})

test('a web page where MCP was expected', async ({ app }) => {
  const server = await startHtmlServer()
  await app.connectTo(`${server.url}/mcp`)
  await expect(app.card).toHaveAttribute('data-code', 'ERR_MCP_INVALID_RESPONSE')
  await expect(app.card).toContainText('HTML')
  await expect(app.card).toContainText('Check that the URL is the MCP endpoint itself')
  await server.close()
})

test('a reply of 64 MB against a cap of 1 MB', async ({ page, app }) => {
  const server = await startFloodingServer(64_000_000)
  await page.getByText('Limits').click()
  await page.getByLabel('Largest response').fill('1 MB')
  await app.connectTo(`${server.url}/mcp`)
  await app.choose('work')
  await app.call('failed')
  await expect(app.card).toHaveAttribute('data-code', 'ERR_MCP_TOO_LARGE')
  await expect(app.card).toContainText('Raise “Largest response” under Limits')
  await expect.poll(() => server.taken.length).toBe(1)
  // Cut while it streamed: what was taken beyond the cap was on its way.
  expect(server.taken[0]).toBeLessThan(32_000_000)
  await server.close()
})
