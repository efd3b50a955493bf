import type { StandardSchemaV1 } from '@standard-schema/spec'
import { expect, expectTypeOf, test } from 'vitest'
import { z } from 'zod'
import type { StandardSchema } from '../../src/index.js'
import { type CallToolResult, InvalidResponseError, type Json, structured, ToolError } from '../../src/index.js'
import { rejection } from '../support/rejection.js'

const resultOf = (structuredContent?: Json): CallToolResult => ({
  content: [],
  findings: [],
  ...(structuredContent !== undefined && { structuredContent }),
})

/** As a library may make it, with no more than the interface. */
const even = (later: boolean): StandardSchemaV1<number, string> => ({
  '~standard': {
    version: 1,
    vendor: 'test',
    validate(value) {
      const result =
        typeof value === 'number' && value % 2 === 0
          ? { value: `even ${value}` }
          : { issues: [{ message: 'odd', path: ['a/b', { key: 0 }, 'c~d'] }] }
      return later ? Promise.resolve(result) : result
    },
  },
})

test('is of the schema’s output type, with its defaults and transformations', async () => {
  const schema = z.object({
    city: z.string(),
    unit: z.enum(['C', 'F']).default('C'),
    at: z.string().transform((text) => new Date(text)),
  })
  const value = await structured(resultOf({ city: 'Bern', at: '2026-12-01' }), schema)
  expectTypeOf(value).toEqualTypeOf<{ city: string; unit: 'C' | 'F'; at: Date }>()
  expect(value).toEqual({ city: 'Bern', unit: 'C', at: new Date('2026-12-01') })
})

test.each([true, false])('a schema of any library will do, one that takes its time too: %j', async (later) => {
  const value = await structured(resultOf(4), even(later))
  expectTypeOf(value).toEqualTypeOf<string>()
  expect(value).toBe('even 4')
  const error = await rejection(structured(resultOf(3), even(later)))
  expect((error as Error).message).toContain(' /a~1b/0/c~0d')
})

test('whatever the published types call a schema is one here', () => {
  expectTypeOf<StandardSchemaV1<number, string>>().toExtend<StandardSchema<string>>()
  expectTypeOf<StandardSchemaV1<number, string>>().not.toExtend<StandardSchema<number>>()
})

test.each<[Json]>([[null], [false], [0], [''], [[]]])('%j is structured content', async (value) => {
  expect(await structured(resultOf(value), z.json())).toEqual(value)
})

test('a result without any is no answer', async () => {
  const error = await rejection(structured(resultOf(), z.unknown(), { tool: 'weather', server: 'here' }))
  expect(error).toBeInstanceOf(InvalidResponseError)
  expect(error).toMatchObject({
    message: 'The result of "weather" holds no structuredContent',
    data: { outcome: 'ran', reason: 'no-structured-content', tool: 'weather', server: 'here' },
  })
})

test('what does not match is told by its places, and by none of its values', async () => {
  const schema = z.object({ rows: z.array(z.object({ id: z.number() })), name: z.literal('plain') })
  const content = { rows: [{ id: 1 }, { id: 'secret' }], name: 'secret' }
  const error = (await rejection(structured(resultOf(content), schema))) as InvalidResponseError
  expect(error).toBeInstanceOf(InvalidResponseError)
  expect(error.message).toBe('The result has structuredContent that does not match the schema, at /rows/1/id, /name')
  expect(error.data).toEqual({ outcome: 'ran', reason: 'structured-content' })
  expect(error.cause).toMatchObject({ issues: [{ path: ['rows', 1, 'id'] }, { path: ['name'] }] })
})

test('of many places some are named', async () => {
  const error = await rejection(structured(resultOf(Array(100).fill('x')), z.array(z.number())))
  expect((error as Error).message).toMatch(/at \/0, \/1, \/2, \/3, \/4 and 95 more$/)
})

test('a place with a long or hidden name is cut and cleaned', async () => {
  const issues = [{ message: 'no', path: [`a\u202e${'b'.repeat(500)}`] }]
  const schema: StandardSchema = { '~standard': { version: 1, vendor: 'test', validate: () => ({ issues }) } }
  const { message } = (await rejection(structured(resultOf(1), schema))) as Error
  expect(message).toMatch(/at \/ab{97}…$/)
})

test('of a tool that failed there is none, whatever it sent beside', async () => {
  const failed: CallToolResult = { ...resultOf(4), content: [{ type: 'text', text: 'no disk' }], isError: true }
  const error = await rejection(structured(failed, even(false), { tool: 'save' }))
  expect(error).toBeInstanceOf(ToolError)
  const message = expect.stringMatching(/^The tool "save" failed: no disk/)
  expect(error).toMatchObject({ message, data: { outcome: 'ran', tool: 'save' } })
})
