import { once } from 'node:events'
import { mkdir, writeFile } from 'node:fs/promises'
import { type IncomingMessage, request } from 'node:http'
import { createRequire } from 'node:module'
import { startScriptedServer } from '@x/testkit'
import { processesWith } from '@x/testkit/processes'
import { expect, test } from './fixtures.js'
import { createPlayground } from './playground-page.js'
import { key, unreachableServers } from './unreachable-servers.js'

/** Writes the file that `--config` names. */
async function writeServers(mcpServers: object): Promise<string> {
  const file = test.info().outputPath('mcp.json')
  await writeFile(file, JSON.stringify({ mcpServers }))
  return file
}

test.afterEach(({ problems }) => {
  expect(problems.filter((text) => text.includes('securitypolicyviolation'))).toEqual([])
})

test.describe('through the gateway', () => {
  test('the demo server that lets no page in: a tool with progress, and one that is cancelled', async ({
    page,
    started,
  }) => {
    const app = createPlayground(page, started.url)
    await app.open()
    await expect(page.getByLabel('Through the gateway')).toHaveValue('demo')
    await app.connectThroughGateway()
    await expect(app.server).toContainText('Demo server')
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
    await app.choose('slow')
    await page.getByTestId('call').click()
    await expect(app.result).toHaveAttribute('data-status', 'running')
    await page.getByRole('button', { name: 'Cancel' }).click()
    await expect(app.result).toHaveAttribute('data-status', 'cancelled')
    await page.getByLabel('Duration').fill('1')
    await app.call()
    await expect(app.block('text')).toContainText('Slept for 1 ms.')
  })

  test('the servers of a file, of three kinds that a page alone can’t reach', async ({ page, startPlayground }) => {
    test.slow()
    const servers = Object.entries(unreachableServers)
    const running = await Promise.all(servers.map(async ([name, start]) => ({ name, ...(await start()) })))
    const entries = running.map(({ name, url }) => [
      name,
      { url: `${url}/mcp`, ...(name === 'preflight-refused' && { headers: { Authorization: `Bearer ${key}` } }) },
    ])
    const app = createPlayground(page, (await startPlayground(await writeServers(Object.fromEntries(entries)))).url)
    await app.open()
    for (const { name, url } of running) {
      await page.getByLabel('Bearer token').check({ force: true })
      await page.getByLabel('Token', { exact: true }).fill(key)
      await app.connectTo(`${url}/mcp`)
      await expect(app.card).toHaveAttribute('data-code', 'ERR_MCP_CORS')
      await expect(page.getByTestId('gateway-hint')).toContainText('npm start -- --config mcp.json')
      await expect(page.getByTestId('gateway-hint').locator('pre')).toContainText(`"url": "${url}/mcp"`)
      await page.getByLabel('Through the gateway').selectOption(name)
      await app.connectThroughGateway()
      await app.choose('greet')
      await page.getByTestId('tool').getByRole('textbox', { name: 'name' }).fill(name)
      await app.call()
      await expect(app.block('text')).toContainText(`Hello ${name}`)
      await page.getByRole('button', { name: 'Disconnect' }).click()
    }
    await Promise.all(running.map(({ close }) => close()))
  })

  test('files of a temporary folder, by a server that the gateway starts', async ({ page, started }) => {
    const app = createPlayground(page, started.url)
    await app.open()
    await page.getByLabel('Through the gateway').selectOption('files')
    await app.connectThroughGateway()
    await expect(app.server).toContainText('secure-filesystem-server')
    await app.choose('list_allowed_directories')
    await app.call()
    await expect(app.block('text')).toContainText('playground-files-')
  })

  test('a command of the file, which ends when the page leaves it', async ({ page, startPlayground }) => {
    const folder = test.info().outputPath('folder')
    await mkdir(folder, { recursive: true })
    const program = createRequire(import.meta.url).resolve('@modelcontextprotocol/server-filesystem/dist/index.js')
    const running = () => processesWith(program, folder)
    const file = await writeServers({ notes: { command: process.execPath, args: [program, folder] } })
    const app = createPlayground(page, (await startPlayground(file)).url)
    await app.open()
    expect(running()).toEqual([])
    await app.connectThroughGateway()
    expect(running()).toHaveLength(1)
    await app.choose('list_allowed_directories')
    await app.call()
    await expect(app.block('text')).toContainText(folder)
    await page.getByRole('button', { name: 'Disconnect' }).click()
    await expect.poll(running).toEqual([])
  })

  test('by keyboard alone', async ({ page, started }) => {
    const app = createPlayground(page, started.url)
    await app.open()
    await expect(page.getByTestId('gateway')).toHaveAttribute('data-status', 'ready')
    await page.getByText('Limits').focus()
    await page.keyboard.press('Tab')
    await expect(page.getByLabel('Through the gateway')).toBeFocused()
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await expect(app.server).toHaveAttribute('data-status', 'ready')
  })

  test('a server that is down is told as that', async ({ page, startPlayground }) => {
    const server = await startScriptedServer(() => new Response())
    await server.close()
    const file = await writeServers({ gone: { url: `${server.url}/mcp` } })
    const app = createPlayground(page, (await startPlayground(file)).url)
    await app.open()
    await page.getByRole('button', { name: 'Connect through the gateway' }).click()
    await expect(app.card).toContainText('the gateway did not reach the server')
    await expect(app.card).toContainText('"gone" does not answer')
  })
})

test.describe('the token', () => {
  test('is taken out of the address bar, and kept nowhere', async ({ page, started }) => {
    const { url, origin, token } = started
    await createPlayground(page, url).open()
    await expect(page.getByTestId('gateway')).toHaveAttribute('data-status', 'ready')
    expect(page.url()).toBe(`${origin}/`)
    const kept = await page.evaluate(() =>
      JSON.stringify({ ...localStorage, ...sessionStorage, cookie: document.cookie, html: document.body.innerHTML }),
    )
    expect(kept).not.toContain(token)
    await page.reload()
    await expect(page.getByTestId('gateway')).toHaveText(/open the address that npm start printed/)
  })

  test('is also taken from an address that is pasted into the open page', async ({ page, started }) => {
    const { url, origin } = started
    await createPlayground(page, `${origin}/`).open()
    await expect(page.getByTestId('gateway')).toHaveAttribute('data-status', 'absent')
    await page.goto(url)
    await expect(page.getByTestId('gateway')).toHaveAttribute('data-status', 'ready')
    expect(page.url()).toBe(`${origin}/`)
  })

  test('of an earlier start is refused, and that is told', async ({ page, started }) => {
    const { origin } = started
    const app = createPlayground(page, `${origin}/#token=old`)
    await app.open()
    await expect(page.getByTestId('gateway')).toHaveText(/refused this page’s token/)
    await app.connectTo(`${origin}/gateway/servers/demo/mcp`)
    await expect(app.card).toHaveAttribute('data-code', 'ERR_MCP_UNAUTHORIZED')
    await expect(app.card).toContainText('open the address that npm start printed last')
  })
})

test.describe('who is turned away, before anything reaches a server', () => {
  test('whoever does not come from the page, has no token or names no server', async ({ startPlayground }) => {
    const reached: string[] = []
    const server = await startScriptedServer(({ method }) => {
      reached.push(method)
      return new Response()
    })
    const { origin, token } = await startPlayground(await writeServers({ notes: { url: `${server.url}/mcp` } }))
    const authorization = `Bearer ${token}`
    const ask = async (name: string, headers: Record<string, string>) => {
      const sent = request(`${origin}/gateway/servers/${name}/mcp`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
      })
      sent.end('{}')
      const [response] = (await once(sent, 'response')) as [IncomingMessage]
      response.resume()
      return response.statusCode
    }
    expect(await ask('notes', { authorization, origin: 'https://evil.example' })).toBe(403)
    expect(await ask('notes', { authorization, origin: server.url })).toBe(403)
    expect(await ask('notes', { authorization, host: 'evil.example' })).toBe(403)
    expect(await ask('notes', { authorization, host: '127.0.0.1:1' })).toBe(403)
    expect(await ask('notes', { authorization: 'Bearer wrong' })).toBe(401)
    expect(await ask('notes', {})).toBe(401)
    expect(await ask('nope', { authorization })).toBe(404)
    expect(await ask(encodeURIComponent(`${server.url}/mcp`), { authorization })).toBe(404)
    expect(reached).toEqual([])
    expect(await ask('notes', { authorization })).toBe(200)
    expect(reached).toEqual(['POST'])
    await server.close()
  })

  test('a page of another origin, even with the token', async ({ page, startPlayground }) => {
    const reached: string[] = []
    const server = await startScriptedServer(({ method, url }) => {
      if (url.endsWith('/page'))
        return new Response('<title>page</title>', { headers: { 'content-type': 'text/html' } })
      reached.push(method)
      return new Response()
    })
    const { origin, token } = await startPlayground(await writeServers({ notes: { url: `${server.url}/mcp` } }))
    const statuses: number[] = []
    page.on('response', (response) => response.url().startsWith(origin) && statuses.push(response.status()))
    await page.goto(`${server.url}/page`)
    const outcomes = await page.evaluate(
      async ({ gateway, token }) => {
        const attempt = (path: string, init: RequestInit) =>
          fetch(`${gateway}/${path}`, init).then(
            ({ type }) => type,
            ({ name }) => name as string,
          )
        const headers = { authorization: `Bearer ${token}` }
        return [
          await attempt('servers', { headers }),
          await attempt('servers/notes/mcp', { method: 'POST', headers, body: '{}' }),
          await attempt('servers/notes/mcp', { method: 'POST', mode: 'no-cors', body: '{}' }),
        ]
      },
      { gateway: `${origin}/gateway`, token },
    )
    expect(outcomes).toEqual(['TypeError', 'TypeError', 'opaque'])
    expect(statuses).toContain(403)
    expect(new Set(statuses)).toEqual(new Set([403]))
    expect(reached).toEqual([])
    await server.close()
  })
})

for (const theme of ['light', 'dark'] as const)
  test(`axe finds nothing wrong with it in the ${theme} theme, nor does a narrow screen`, async ({ page, started }) => {
    await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' })
    const server = await unreachableServers['no-cors']()
    const app = createPlayground(page, started.url)
    const overflow = () =>
      page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)
    await app.open()
    await expect(page.getByTestId('gateway')).toHaveAttribute('data-status', 'ready')
    expect(await app.axe()).toEqual([])
    await app.connectTo(`${server.url}/mcp`)
    await expect(page.getByTestId('gateway-hint')).toBeVisible()
    expect(await app.axe()).toEqual([])
    await page.setViewportSize({ width: 360, height: 740 })
    expect(await overflow()).toBe(0)
    await page.reload()
    await expect(page.getByTestId('gateway')).toHaveAttribute('data-status', 'absent')
    expect(await app.axe()).toEqual([])
    await server.close()
  })
