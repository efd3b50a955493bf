import { expect } from 'vitest'
import type { Finding, Json, JsonObject } from '../../src/protocol.js'
import { reply } from '../support/mcp-server.js'
import { type Sent, scriptedFetch } from '../support/scripted-fetch.js'
import { type MakeServer, plainLegacyServer, type ReportCase, testFieldReports } from './field-report.js'
import { connectOurs } from './our-client.js'
import { sdkV1Client } from './sdk-v1-client.js'
import type { Subject } from './subject.js'

/** A tool's schema, and what it answers with. */
interface Answering {
  outputSchema?: JsonObject
  structuredContent?: Json
  isError?: unknown
}

const serverOf = (tools: Record<string, Answering>, server: MakeServer = plainLegacyServer) =>
  scriptedFetch(
    server({
      'tools/list': (sent) =>
        reply(sent, {
          tools: Object.entries(tools).map(([name, { outputSchema }]) => ({
            name,
            inputSchema: { type: 'object' },
            ...(outputSchema && { outputSchema }),
          })),
        }),
      'tools/call': (sent: Sent) => {
        const { outputSchema: _, ...result } = tools[String(sent.body?.params?.name)]!
        return reply(sent, { content: [{ type: 'text', text: 'done' }], ...result })
      },
    }),
  )

/** What the subject has of a server: its tools are all there and can be called; nothing else is asked for. */
async function useAll(subject: Subject, tools: Record<string, Answering>): Promise<string[]> {
  const { fetch, sent } = serverOf(tools)
  const connection = await subject.connect(fetch)
  expect((await connection.listTools()).map(({ name }) => name)).toEqual(Object.keys(tools))
  for (const name of Object.keys(tools)) expect(await connection.callTool(name)).toBe('done')
  expect(new Set(sent.map(({ url }) => url)).size, 'addresses asked').toBe(1)
  return connection.told
}

/** The findings of one call by our client. */
async function findingsOf(answering: Answering): Promise<Finding[]> {
  const client = await connectOurs(serverOf({ work: answering }).fetch)
  await client.listTools()
  const result = await client.callTool('work')
  expect(result.structuredContent, 'what the tool sent').toEqual(answering.structuredContent)
  await client.close()
  return result.findings
}

const plain: Answering = {
  outputSchema: { type: 'object', properties: { sum: { type: 'number' } } },
  structuredContent: { sum: 1 },
}

const unvalidated = (name: string, outputSchema: JsonObject, said: string, sdkFails?: RegExp): ReportCase => ({
  name: `${name}: all tools are there, and the result is marked as unvalidated, once told`,
  ...(sdkFails && { sdk: sdkV1Client, sdkFails }),
  async run(subject) {
    const work = { outputSchema: { type: 'object', ...outputSchema }, structuredContent: { a: 1 } }
    expect(await useAll(subject, { work, plain })).toEqual([expect.stringMatching(/^unvalidated: .*"work"/)])
    const [finding] = await findingsOf(work)
    expect(finding).toMatchObject({ code: 'unvalidated', path: '/structuredContent' })
    expect(finding?.message).toContain(said)
  },
})

const reference = ($ref: string) => ({ properties: { a: { $ref } } })
const ajvFails = /can't resolve reference/

const treeSchema: JsonObject = {
  type: 'object',
  $defs: { node: { type: 'object', properties: { next: { $ref: '#/$defs/node' }, value: { type: 'number' } } } },
  properties: { root: { $ref: '#/$defs/node' } },
}

const named = (type: string): JsonObject => ({
  $id: 'https://server.example/result.json',
  type: 'object',
  properties: { value: { type } },
})

const dialect = ($schema: string | undefined, own: JsonObject, right: Json, wrong: Json, path: string): ReportCase => ({
  name: `${$schema ?? 'none'}: what fits is taken, and what doesn’t is told`,
  async run(subject) {
    const outputSchema = { ...($schema !== undefined && { $schema }), type: 'object', ...own }
    const fits = { outputSchema, structuredContent: right }
    expect(await useAll(subject, { fits })).toEqual([])
    expect(await findingsOf(fits)).toEqual([])
    const findings = await findingsOf({ outputSchema, structuredContent: wrong })
    expect(findings).toMatchObject([{ code: 'output-schema', path: `/structuredContent${path}` }])
  },
})

/** Keywords of a dialect; what satisfies them, what does not, and where. */
type DialectRow = [own: JsonObject, right: Json, wrong: Json, path: string]

const pair = [{ type: 'number' }, { type: 'string' }]
const inDraft7: DialectRow = [{ properties: { p: { items: pair } } }, { p: [1, 'a'] }, { p: [1, 2] }, '/p/1']
const in2019: DialectRow = [{ dependentRequired: { a: ['b'] } }, { a: 1, b: 1 }, { a: 1 }, '']
const in2020: DialectRow = [{ properties: { p: { prefixItems: pair } } }, { p: [1, 'a'] }, { p: [1, 2] }, '/p/1']

const failing = (name: string, answering: Answering, sdkFails?: RegExp): ReportCase => ({
  ...(sdkFails && { sdk: sdkV1Client, sdkFails }),
  name: `${name}: it is given as it came`,
  async run(subject) {
    const work = { ...answering, outputSchema: plain.outputSchema! }
    expect(await useAll(subject, { work })).toEqual([])
    expect(await findingsOf(work)).toEqual([])
  },
})

testFieldReports([
  {
    id: 'LS-97',
    title: 'A $ref in an output schema',
    cases: [
      unvalidated('one that leads nowhere', reference('#/$defs/X'), 'Unresolved $ref "#/$defs/X"', ajvFails),
      unvalidated(
        'one that leads to another server',
        reference('https://other.example/schema.json'),
        'Unresolved $ref "https://other.example/schema.json"',
        ajvFails,
      ),
      unvalidated('one that leads to itself', { $defs: { a: { $ref: '#/$defs/a' } }, $ref: '#/$defs/a' }, 'too deep'),
      {
        name: 'recursion is followed as deep as the result goes',
        async run(subject) {
          const structuredContent = { root: { next: { next: { value: 'three' } } } }
          expect(await useAll(subject, { plain })).toEqual([])
          const findings = await findingsOf({ outputSchema: treeSchema, structuredContent })
          expect(findings).toMatchObject([{ code: 'output-schema', path: '/structuredContent/root/next/next/value' }])
        },
      },
      {
        name: 'two tools whose schemas have one $id: each result is held to its own tool’s',
        sdk: sdkV1Client,
        sdkFails: /does not match the tool's output schema/,
        async run(subject) {
          const tools = {
            counts: { outputSchema: named('number'), structuredContent: { value: 1 } },
            says: { outputSchema: named('string'), structuredContent: { value: 'one' } },
          }
          expect(await useAll(subject, tools)).toEqual([])
        },
      },
      {
        name: '$async says nothing here: the result is checked at once',
        async run(subject) {
          const outputSchema = { ...plain.outputSchema, $async: true }
          expect(await useAll(subject, { plain: { ...plain, outputSchema } })).toEqual([])
          expect(await findingsOf({ outputSchema, structuredContent: { sum: 'x' } })).toMatchObject([
            { code: 'output-schema', path: '/structuredContent/sum' },
          ])
        },
      },
    ],
  },
  {
    id: 'LS-98',
    title: 'The dialect of a schema',
    cases: [
      dialect(undefined, ...in2020),
      dialect('https://json-schema.org/draft/2020-12/schema', ...in2020),
      dialect('http://json-schema.org/draft/2020-12/schema#', ...in2020),
      dialect('https://json-schema.org/draft/2019-09/schema', ...in2019),
      dialect('https://json-schema.org/draft/2019-09/schema#', ...in2019),
      dialect('http://json-schema.org/draft-07/schema#', ...inDraft7),
      dialect('https://json-schema.org/draft-07/schema', ...inDraft7),
      unvalidated('an unknown one', { $schema: 'https://dialect.example/1' }, 'https://dialect.example/1'),
    ],
  },
  {
    id: 'RS-109',
    title: 'A failed result and the output schema',
    cases: [
      failing('without structured content', { isError: true }),
      failing(
        'with other structured content',
        { isError: true, structuredContent: { sum: 'no' } },
        /does not match the tool's output schema/,
      ),
    ],
  },
])
