import { describe, expect, it } from 'vitest'
import { connectDemo, type DemoClient, ERAS, type ListedTool } from './demo-client.js'
import { runDemo } from './running-demo.js'

async function everyTool(client: DemoClient): Promise<{ tools: ListedTool[]; pages: number }> {
  const tools: ListedTool[] = []
  let pages = 0
  let cursor: string | undefined
  do {
    const page = await client.toolPage(cursor)
    tools.push(...page.tools)
    pages++
    cursor = page.nextCursor
  } while (cursor !== undefined)
  return { tools, pages }
}

async function namesOf(client: DemoClient): Promise<string[]> {
  return (await everyTool(client)).tools.map(({ name }) => name)
}

describe.each(ERAS)('lists, %s', (era) => {
  it('hands out the tools in pages, each with a title, a description and an object schema', async () => {
    const { url } = await runDemo()
    const { tools, pages } = await everyTool(await connectDemo(era, url))
    expect(pages).toBe(3)
    expect(new Set(tools.map(({ name }) => name)).size).toBe(19)
    for (const tool of tools) {
      expect(tool.title).toMatch(/\S/)
      expect(tool.description).toMatch(/\S/)
      expect(tool.inputSchema.type).toBe('object')
    }
  })

  it('bounds every number that a tool takes', async () => {
    const { url } = await runDemo()
    const { tools } = await everyTool(await connectDemo(era, url))
    const numbers = tools.flatMap(({ name, inputSchema }) => numbersIn(inputSchema, name))
    expect(numbers.length).toBeGreaterThan(8)
    for (const { path, schema } of numbers) {
      expect(schema, path).toMatchObject({ minimum: expect.any(Number), maximum: expect.any(Number) })
      expect(Number(schema.maximum), path).toBeLessThanOrEqual(1e12)
    }
  })

  it('hints what its tools do', async () => {
    const { url } = await runDemo()
    const { tools } = await everyTool(await connectDemo(era, url))
    const hints = new Map(tools.map(({ name, annotations }) => [name, annotations]))
    expect(hints.get('echo')).toMatchObject({ readOnlyHint: true })
    expect(hints.get('add_tool')).toMatchObject({ readOnlyHint: false, destructiveHint: false, idempotentHint: true })
    expect(hints.get('remove_tool')).toMatchObject({ destructiveHint: true, idempotentHint: true })
  })

  it('refuses a cursor that it did not give', async () => {
    const { url } = await runDemo()
    const client = await connectDemo(era, url)
    for (const cursor of ['-1', 'x', '999']) {
      await expect(client.toolPage(cursor)).rejects.toMatchObject({ code: -32602 })
    }
  })

  it('adds and removes a tool, and tells the client each time', async () => {
    const { url } = await runDemo()
    let changes = 0
    let wake = () => {}
    const client = await connectDemo(era, url, {
      onToolsChanged() {
        changes++
        wake()
      },
    })
    await client.listening()
    const changed = (count: number) =>
      new Promise<void>((resolve) => {
        wake = () => changes === count && resolve()
        wake()
      })
    expect(await namesOf(client)).not.toContain('roll_dice')
    expect(await client.callTool('roll_dice').catch(() => ({ isError: true }))).toMatchObject({ isError: true })

    await client.callTool('add_tool')
    await changed(1)
    expect(await namesOf(client)).toContain('roll_dice')
    const { structuredContent } = await client.callTool('roll_dice', { count: 3 })
    expect(structuredContent).toHaveProperty('dice.length', 3)

    // Adding it again changes nothing, so the next change that is heard is the removal.
    await client.callTool('add_tool')
    await client.callTool('remove_tool')
    await changed(2)
    expect(await namesOf(client)).not.toContain('roll_dice')
  })

  it(era === 'modern' ? 'changes the list for everyone' : 'changes the list of this session only', async () => {
    const { url } = await runDemo()
    const [one, other] = await Promise.all([connectDemo(era, url), connectDemo(era, url)])
    await one.callTool('add_tool')
    expect(await namesOf(one)).toContain('roll_dice')
    expect((await namesOf(other)).includes('roll_dice')).toBe(era === 'modern')
  })
})

interface NumberAt {
  path: string
  schema: Record<string, unknown>
}

/** Every schema of a number inside a JSON Schema. */
function numbersIn(schema: unknown, path: string): NumberAt[] {
  if (typeof schema !== 'object' || schema === null) return []
  const entries = Object.entries(schema)
  const { type } = Object.fromEntries(entries)
  const here = type === 'number' || type === 'integer' ? [{ path, schema: Object.fromEntries(entries) }] : []
  return [...here, ...entries.flatMap(([key, value]) => numbersIn(value, `${path}.${key}`))]
}
