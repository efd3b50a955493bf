import { expect } from 'vitest'
import type { ConnectionEvent } from '../../src/connection.js'
import type { Era } from '../../src/protocol.js'
import { modernServer, reply, serverInfo } from '../support/mcp-server.js'
import { type Sent, scriptedFetch } from '../support/scripted-fetch.js'
import { watch } from './clock.js'
import { inBothEras, type MakeServer, plainLegacyServer, type SdkFails, testFieldReports } from './field-report.js'
import type { Subject } from './subject.js'

const inputSchema = { type: 'object', properties: { a: { type: 'string' } } }
const good = { name: 'good', description: 'Is as it should be.', inputSchema }

/** A connection to a server that lists these. */
async function listing(subject: Subject, server: MakeServer, tools: unknown[]) {
  const onList = (sent: Sent) => reply(sent, { tools, ttlMs: 0, cacheScope: 'private' })
  const { fetch } = scriptedFetch(server({ 'tools/list': onList }))
  return subject.connect(fetch)
}

const rejected = /Invalid result for/

const nulls: [name: string, tool: object, expected: object, sdkFails?: SdkFails][] = [
  ['description', { ...good, description: null }, { name: 'good', inputSchema }, rejected],
  ['title', { ...good, title: null }, good, rejected],
  ['annotations', { ...good, annotations: null }, good, rejected],
  [
    'a hint',
    { ...good, annotations: { readOnlyHint: null, title: 'Good' } },
    { ...good, annotations: { title: 'Good' } },
  ],
  ['outputSchema', { ...good, outputSchema: null }, good, rejected],
  ['icons', { ...good, icons: null }, good, rejected],
  ['execution', { ...good, execution: null }, good, { legacy: rejected }],
  ['_meta', { ...good, _meta: null }, good, rejected],
]

/** Not malformed, or to be repaired without loss. */
const usable: [name: string, tool: object, sdkFails?: SdkFails][] = [
  ['a schema of true for a property', { name: 'other', inputSchema: { type: 'object', properties: { a: true } } }],
  ['required null', { name: 'other', inputSchema: { ...inputSchema, required: null } }, { legacy: rejected }],
]

const malformed: [name: string, tool: unknown, sdkFails?: SdkFails][] = [
  ['a name and nothing else', { name: 'other' }, rejected],
  ['a schema without a type', { name: 'other', inputSchema: { properties: {} } }, rejected],
  ['a schema of anyOf', { name: 'other', inputSchema: { anyOf: [inputSchema, { type: 'string' }] } }, rejected],
  ['required in the wrong place', { name: 'other', inputSchema: { type: 'object', properties: { required: ['a'] } } }],
  ['required that is no list', { name: 'other', inputSchema: { type: 'object', required: 'a' } }, { legacy: rejected }],
  ['a name that is a number', { name: 7, inputSchema }, rejected],
  ['no name', { inputSchema }, rejected],
  ['null', null, rejected],
  ['a string', 'other', rejected],
  ['a list', [good], rejected],
]

const refused = { legacy: rejected, modern: /Error POSTing/ }

const handshakes: [name: string, server: object, sdkFails: SdkFails][] = [
  ['serverInfo without a version', { serverInfo: { name: 'scripted' } }, { legacy: rejected }],
  ['serverInfo with a version of null', { serverInfo: { name: 'scripted', version: null } }, { legacy: rejected }],
  ['serverInfo null', { serverInfo: null }, { legacy: rejected }],
  ['capabilities.tools null', { capabilities: { tools: null } }, refused],
  ['capabilities null', { capabilities: null }, refused],
  ['instructions null', { instructions: null }, refused],
  ['a title of null', { serverInfo: { ...serverInfo, title: null } }, { legacy: rejected }],
]

/** A server of the era whose answer to the handshake deviates in these fields. */
function deviating(era: Era, { serverInfo: info = serverInfo, ...more }: { serverInfo?: unknown }) {
  const base = { capabilities: { tools: {} }, ...more }
  return era === 'modern'
    ? modernServer({
        'server/discover': (sent) =>
          reply(sent, {
            supportedVersions: ['2026-07-28'],
            ttlMs: 0,
            cacheScope: 'private',
            _meta: { 'io.modelcontextprotocol/serverInfo': info },
            ...base,
          }),
      })
    : plainLegacyServer({
        initialize: (sent) => reply(sent, { protocolVersion: '2025-11-25', serverInfo: info, ...base }),
      })
}

testFieldReports([
  {
    id: 'LS-95',
    title: '`null` for what is absent',
    cases: [
      ...nulls.flatMap(([name, tool, expected, sdkFails]) =>
        inBothEras(
          `${name}: as if it were absent, and told`,
          async (subject, server) => {
            const connection = await listing(subject, server, [tool])
            expect(await watch(connection.listTools()).settled()).toEqual([expected])
            expect(connection.told.length, 'findings').toBeGreaterThan(0)
          },
          sdkFails,
        ),
      ),
    ],
  },
  {
    id: 'LS-96',
    title: 'One bad tool hides all others',
    cases: [
      ...malformed.flatMap(([name, tool, sdkFails]) =>
        inBothEras(
          `${name}: the others are served, and it is told`,
          async (subject, server) => {
            const last = { ...good, name: 'last' }
            const connection = await listing(subject, server, [good, tool, last])
            const tools = await watch(connection.listTools()).settled()
            expect(tools.filter((listed) => listed.name === 'good' || listed.name === 'last')).toEqual([good, last])
            if (tools.length === 2) expect(connection.told.length, 'findings').toBeGreaterThan(0)
          },
          sdkFails,
        ),
      ),
      ...usable.flatMap(([name, tool, sdkFails]) =>
        inBothEras(
          `${name}: it is served with the others`,
          async (subject, server) => {
            const connection = await listing(subject, server, [good, tool])
            const tools = await watch(connection.listTools()).settled()
            expect(tools.map((listed) => listed.name)).toEqual(['good', 'other'])
            expect(tools[0]).toEqual(good)
          },
          sdkFails,
        ),
      ),
    ],
  },
  {
    id: 'SE-141',
    title: 'A handshake that deviates in trifles',
    cases: handshakes.flatMap(([name, deviation, sdkFails]) =>
      inBothEras(
        `${name}: the server is used all the same, and it is told`,
        async (subject, _, era) => {
          const findings: string[] = []
          const onEvent = (event: ConnectionEvent) => event.type === 'finding' && findings.push(event.finding.message)
          const { fetch } = scriptedFetch(deviating(era, deviation))
          const connection = await subject.connect(fetch, { hooks: { onEvent } })
          expect(await watch(connection.callTool('add')).settled()).toBe('add')
          expect(findings.length, 'findings').toBeGreaterThan(0)
        },
        sdkFails,
      ),
    ),
  },
])
