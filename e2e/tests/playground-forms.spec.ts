import { test as base, expect } from './fixtures.js'
import { type Playground, usePlayground } from './playground-page.js'
import { resultReply, smallServer, startOpenServer } from './small-server.js'

const test = base.extend<{ app: Playground }>({ app: usePlayground })

/** Returns what it was called with, as text. */
const startEchoServer = (inputSchema: object) =>
  startOpenServer(
    smallServer(
      (id, args) => resultReply(id, { content: [{ type: 'text', text: JSON.stringify(args) }] }),
      inputSchema,
    ),
  )

test('a form sends exactly what was filled in', async ({ page, app }) => {
  const server = await startEchoServer({
    type: 'object',
    properties: {
      text: { type: 'string', default: 'not filled in' },
      limit: { anyOf: [{ type: 'integer' }, { type: 'null' }], default: 10 },
      flag: { type: 'boolean' },
      ratio: { type: 'number' },
      tags: { type: 'array', items: { type: 'string' } },
      filter: { type: 'object' },
      pair: { type: 'array', prefixItems: [{ type: 'string' }, { type: 'number' }] },
      left: { type: 'string', default: 'out' },
    },
  })
  await app.connectTo(`${server.url}/mcp`)
  await app.choose('work')
  await page.getByLabel('text').fill('two\nlines')
  await page.getByLabel('limit').fill('5')
  await page.getByLabel('limit').fill('')
  await page.getByRole('radiogroup', { name: 'flag' }).getByText('false').click()
  await page.getByLabel('ratio').fill('1.50')
  await expect(page.getByLabel('ratio')).toHaveValue('1.50')
  const add = page.getByRole('button', { name: 'Add an item to tags' })
  for (const [index, tag] of ['a', 'b', 'c'].entries()) {
    await add.click()
    await page.getByLabel(`tags-${index + 1}`).fill(tag)
  }
  await page.getByRole('button', { name: 'Move item 3 up' }).click()
  await page.getByRole('button', { name: 'Remove item 1' }).click()
  await page.getByLabel('filter').fill('{"a": [1, null]}')
  await page.getByLabel('pair').fill('["x", 2]')
  await app.call()
  expect(JSON.parse((await app.block('text').locator('pre').textContent()) ?? '')).toEqual({
    text: 'two\nlines',
    limit: null,
    flag: false,
    ratio: 1.5,
    tags: ['c', 'b'],
    filter: { a: [1, null] },
    pair: ['x', 2],
  })
  await server.close()
})

test('an integer that no JavaScript number holds is never changed in silence', async ({ page, app }) => {
  const server = await startEchoServer({ type: 'object', properties: { id: { type: 'integer' } } })
  await app.connectTo(`${server.url}/mcp`)
  await app.choose('work')
  await page.getByLabel('id', { exact: true }).fill('9007199254740993')
  await page.getByTestId('call').click()
  await expect(page.getByText('9007199254740992 is the nearest')).toBeVisible()
  await page.getByRole('button', { name: 'Call anyway' }).click()
  await expect(app.block('text').locator('pre')).toHaveText('{"id":"9007199254740993"}')
  await server.close()
})

test('text that is no JSON holds the call back until it is corrected', async ({ page, app }) => {
  const server = await startEchoServer({ type: 'object', properties: { any: true } })
  await app.connectTo(`${server.url}/mcp`)
  await app.choose('work')
  await page.getByLabel('any').fill('{"a": ')
  await page.getByTestId('call').click()
  await expect(page.getByLabel('any')).toBeFocused()
  await expect(page.getByLabel('any')).toHaveAttribute('aria-invalid', 'true')
  await expect(app.result).toHaveCount(0)
  await page.getByLabel('any').fill('{"a": 1}')
  await app.call()
  await expect(app.block('text').locator('pre')).toHaveText('{"any":{"a":1}}')
  await server.close()
})

test('a schema that no form can be drawn from is written as JSON', async ({ page, app }) => {
  const server = await startEchoServer({ type: 'object', properties: { a: { $ref: '#/$defs/gone' } } })
  await app.connectTo(`${server.url}/mcp`)
  await app.choose('work')
  await expect(page.getByText('No form can be drawn')).toBeVisible()
  await page.getByRole('textbox', { name: 'Arguments of work as JSON' }).fill('{"a": 1}')
  await app.call()
  await expect(app.block('text').locator('pre')).toHaveText('{"a":1}')
  await server.close()
})
