import { test as base, expect } from './fixtures.js'
import { type Playground, usePlayground } from './playground-page.js'
import { resultReply, smallServer, startOpenServer } from './small-server.js'

const test = base.extend<{ app: Playground }>({ app: usePlayground })

test('what no client understands is shown as it came, with what was found wrong', async ({ page, app }) => {
  const content = [
    { type: 'hologram', depth: 3 },
    { type: 'image', mimeType: 'image/png', data: 'not base64!' },
    { type: 'resource_link', name: 'trap', uri: 'javascript:alert(1)' },
  ]
  const server = await startOpenServer(smallServer((id) => resultReply(id, { content })))
  await app.connectTo(`${server.url}/mcp`)
  await app.choose('work')
  await app.call()
  await expect(app.block('unknown').first()).toContainText('hologram')
  await expect(app.block('resource_link')).toContainText('javascript:alert(1)')
  await expect(app.block('resource_link').getByRole('link')).toHaveCount(0)
  await expect(page.getByTestId('findings')).toBeVisible()
  await server.close()
})

test('10 MB of structured content are shown without laying out more than what is in sight', async ({ page, app }) => {
  const items = Array.from({ length: 100_000 }, (_, id) => ({ id, name: `item ${id}`, text: 'x'.repeat(60) }))
  const server = await startOpenServer(
    smallServer((id) => resultReply(id, { content: [], structuredContent: { items } })),
  )
  await app.connectTo(`${server.url}/mcp`)
  await app.choose('work')
  await app.call()
  const tree = app.result.getByRole('tree', { name: 'Structured content' })
  await expect(tree).toContainText('items:')
  await tree.getByText('90,000 … 99,999').click()
  await tree.focus()
  await page.keyboard.press('End')
  await expect(tree).toContainText('99,900 … 99,999')
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('End')
  await expect(tree).toContainText('99999:')
  expect(await tree.getByRole('treeitem').count()).toBeLessThan(100)
  await server.close()
})
