import { beforeEach, describe, expect, test, vi } from 'vitest'
import type { CallToolResult, Finding, Json } from '../../src/protocol.js'
import { createOutputCheck } from '../../src/session/output-check.js'

const schema = { type: 'object', properties: { sum: { type: 'number' } }, required: ['sum'] }

/** The check of a server's tools, whose schemas may change meanwhile, and what it tells. */
function checking(schemas: Record<string, Json>, trusted = false) {
  const reported: Finding[] = []
  const check = createOutputCheck({
    toolMemory: { outputSchema: (tool) => schemas[tool] },
    trusted,
    report: (finding) => reported.push(finding),
  })
  return { schemas, reported, check }
}

const resultOf = (more: Partial<CallToolResult>): CallToolResult => ({ content: [], findings: [], ...more })

test.each<[string, Partial<CallToolResult>, Json | undefined]>([
  ['what fits', { structuredContent: { sum: 1 } }, schema],
  ['what no schema is known of', { structuredContent: { sum: 'x' } }, undefined],
  ['a schema of null', { structuredContent: { sum: 'x' } }, null],
  ['a failure with something else', { structuredContent: { sum: 'x' }, isError: true }, schema],
  ['a failure with nothing', { isError: true }, schema],
])('%s passes as it is, and nothing is told', async (_, more, outputSchema) => {
  const { check, reported } = checking(outputSchema === undefined ? {} : { work: outputSchema })
  const result = resultOf(more)
  expect(await check('work', result)).toBe(result)
  expect(reported).toEqual([])
})

test('what does not fit stays, with a finding beside those that it had, told each time', async () => {
  const { check, reported } = checking({ work: schema })
  const had = { code: 'mended-content', message: 'mended' }
  const result = resultOf({ structuredContent: { sum: 'x' }, findings: [had] })
  const finding = {
    code: 'output-schema',
    message:
      'The structuredContent of "work" is not what its outputSchema promises: /sum: Instance type "string" is invalid. Expected "number"',
    path: '/structuredContent/sum',
  }
  expect(await check('work', result)).toEqual({ ...result, findings: [had, finding] })
  await check('work', result)
  expect(reported).toEqual([finding, finding])
})

test('what was promised and is not there is a finding', async () => {
  const { check, reported } = checking({ work: schema })
  const { findings } = await check('work', resultOf({}))
  expect(findings).toMatchObject([{ code: 'output-schema', path: '/structuredContent' }])
  expect(reported).toEqual(findings)
})

describe('what can’t be checked', () => {
  test('is marked on each result, and told once for each tool and reason', async () => {
    const { check, reported, schemas } = checking({ a: { $ref: '#/x' }, b: { $ref: '#/x' } })
    const result = resultOf({ structuredContent: { sum: 1 } })
    for (const tool of ['a', 'a', 'b'])
      expect((await check(tool, result)).findings).toMatchObject([{ code: 'unvalidated', path: '/structuredContent' }])
    expect(reported.map(({ message }) => message)).toEqual([
      expect.stringMatching(/^The structuredContent of "a" was not checked: .*Unresolved/),
      expect.stringMatching(/^The structuredContent of "b" was not checked: .*Unresolved/),
    ])
    schemas.a = { $ref: '#/y' }
    await check('a', result)
    expect(reported).toHaveLength(3)
  })

  test.each<[Json]>([[true], ['object'], [[{}]]])('is what a schema of %j is for', async (outputSchema) => {
    const { check } = checking({ work: outputSchema })
    const { findings } = await check('work', resultOf({ structuredContent: 1 }))
    expect(findings).toMatchObject([{ code: 'unvalidated', message: expect.stringContaining('is no object') }])
  })
})

test('a tool whose schema has changed is held to the new one', async () => {
  const { check, schemas } = checking({ work: schema })
  const result = resultOf({ structuredContent: { sum: 'x' } })
  expect((await check('work', result)).findings).toHaveLength(1)
  schemas.work = { type: 'object', properties: { sum: { type: 'string' } } }
  expect((await check('work', result)).findings).toEqual([])
})

test('the patterns of a server are run only where it is trusted', async () => {
  const schemas = { work: { properties: { sum: { pattern: '^[0-9]+$' } } } }
  const result = resultOf({ structuredContent: { sum: 'x' } })
  expect((await checking(schemas).check('work', result)).findings).toEqual([])
  expect((await checking(schemas, true).check('work', result)).findings).toMatchObject([{ code: 'output-schema' }])
})

describe('the validator', () => {
  beforeEach(() => {
    vi.resetModules()
    return () => vi.doUnmock('../../src/schema/validate.js')
  })

  test('is loaded by the first result that needs it, and reads a schema once', async () => {
    const created: object[] = []
    let loaded = 0
    vi.doMock('../../src/schema/validate.js', () => {
      loaded++
      return {
        createCheck(schema: object) {
          created.push(schema)
          return () => ({ valid: true })
        },
      }
    })
    const { createOutputCheck } = await import('../../src/session/output-check.js')
    const toolMemory = { outputSchema: (tool: string) => (tool === 'work' ? schema : undefined) }
    const check = createOutputCheck({ toolMemory, trusted: false, report() {} })
    await check('other', resultOf({ structuredContent: 1 }))
    await check('work', resultOf({ isError: true }))
    expect(loaded).toBe(0)
    await check('work', resultOf({ structuredContent: 1 }))
    await check('work', resultOf({ structuredContent: 2 }))
    expect([loaded, created]).toEqual([1, [schema]])
  })

  test('that can’t be loaded leaves the result as it is, unvalidated', async () => {
    vi.doMock('../../src/schema/validate.js', () => {
      throw new TypeError('Invalid URL')
    })
    const { createOutputCheck } = await import('../../src/session/output-check.js')
    const check = createOutputCheck({ toolMemory: { outputSchema: () => schema }, trusted: false, report() {} })
    const result = await check('work', resultOf({ structuredContent: { sum: 1 } }))
    expect(result.structuredContent).toEqual({ sum: 1 })
    expect(result.findings).toMatchObject([
      { code: 'unvalidated', message: expect.stringContaining('could not be loaded') },
    ])
  })
})
