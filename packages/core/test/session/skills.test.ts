import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import type { Skill } from '../../src/protocol.js'
import { legacyServer, methodsSent, modernServer, reply, rpcError, serverInfo } from '../support/mcp-server.js'
import { failOnUnhandled } from '../support/no-unhandled.js'
import { open } from '../support/open.js'
import { mcpRejection } from '../support/rejection.js'
import type { Sent } from '../support/scripted-fetch.js'

failOnUnhandled()

const capabilities = { resources: {}, extensions: { 'io.modelcontextprotocol/skills': {} } }
const manifest = '---\nname: forms\ndescription: Fills in forms\n---\nRead [this](references/FORMS.md).\n'
const png = Buffer.from([0x89, 0x50, 0x4e, 0x47])
const digest = (content: string | Buffer) => `sha256:${createHash('sha256').update(content).digest('hex')}`
const listed = (path: string, content: string | Buffer) => ({
  uri: `skill://forms/${path}`,
  digest: digest(content),
  size: Buffer.byteLength(content),
})
const skill: Skill = {
  uri: 'skill://forms/SKILL.md',
  frontmatter: { name: 'forms', description: 'Fills in forms' },
  resources: [listed('SKILL.md', manifest), listed('references/FORMS.md', 'forms'), listed('logo.png', png)],
}
const files: Record<string, object> = {
  'skill://forms/SKILL.md': { text: manifest, mimeType: 'text/markdown' },
  'skill://forms/references/FORMS.md': { text: 'forms' },
  'skill://forms/logo.png': { blob: png.toString('base64'), mimeType: 'image/png' },
}

type Own = Record<string, (sent: Sent) => Response | Promise<Response>>

function start(era: 'modern' | 'legacy', own: Own = {}, offered: object = capabilities) {
  const answers: Own = {
    'skills/list': (sent) => reply(sent, { skills: [skill] }),
    'resources/read': (sent) => {
      const uri = String(sent.body?.params?.uri)
      return reply(sent, { contents: [{ uri, ...files[uri] }] })
    },
    ...own,
  }
  if (era === 'legacy')
    return open(
      legacyServer({
        initialize: (sent) => reply(sent, { protocolVersion: '2025-11-25', capabilities: offered, serverInfo }),
        ...answers,
      }),
    )
  const discover = { supportedVersions: ['2026-07-28'], capabilities: offered, ttlMs: 0, cacheScope: 'private' }
  return open(modernServer({ 'server/discover': (sent) => reply(sent, discover), ...answers }))
}

const asked = (parts: { sent: Sent[] }) =>
  methodsSent(parts).filter((method) => method.startsWith('skills') || method.startsWith('resources'))

describe.each(['modern', 'legacy'] as const)('the skills of a %s server', (era) => {
  test('are listed as their entries say, every page, and no file is fetched', async () => {
    const other = { ...skill, uri: 'skill://more/SKILL.md', resources: 'dynamic' as const }
    other.frontmatter = { ...skill.frontmatter, name: 'more' }
    const parts = start(era, {
      'skills/list': (sent) =>
        sent.body!.params!.cursor === 'next'
          ? reply(sent, { skills: [other], nextCursor: null })
          : reply(sent, { skills: [skill], nextCursor: 'next' }),
    })
    const { skills } = await (await parts.opening).request('skills/list', {})
    expect(skills).toEqual([skill, other])
    expect(asked(parts)).toEqual(['skills/list', 'skills/list'])
  })

  test('are listed anew each time', async () => {
    const parts = start(era)
    const connection = await parts.opening
    await connection.request('skills/list', {})
    await connection.request('skills/list', {})
    expect(asked(parts)).toHaveLength(2)
  })

  test('that break the rules are left out and reported', async () => {
    const bad = { ...skill, uri: 'skill://elsewhere/SKILL.md' }
    const parts = start(era, { 'skills/list': (sent) => reply(sent, { skills: [bad, null, skill] }) })
    const connection = await parts.opening
    const findings: unknown[] = []
    connection.listen({}, (event) => event.type === 'finding' && findings.push(event.finding))
    expect((await connection.request('skills/list', {})).skills).toEqual([skill])
    expect(findings).toMatchObject([
      { code: 'skill-left-out', path: '/skills/0', message: expect.stringContaining('skill://elsewhere/SKILL.md') },
      { code: 'skill-left-out', path: '/skills/1' },
    ])
  })

  test('are none where it does not offer them, and nothing is asked', async () => {
    const parts = start(era, {}, {})
    const connection = await parts.opening
    expect(await connection.request('skills/list', {})).toEqual({ skills: [] })
    expect(await mcpRejection(connection.request('skills/read', { skill }))).toMatchObject({
      code: 'ERR_MCP_CONFIG',
      data: { key: 'skill', method: 'skills/read', server: 'https://server.example/mcp' },
    })
    expect(asked(parts)).toEqual([])
  })

  test('are none where it does not know the method; every other error stays one', async () => {
    const unknown = start(era, { 'skills/list': (sent) => rpcError(sent, -32601, 'no') })
    expect(await (await unknown.opening).request('skills/list', {})).toEqual({ skills: [] })
    const broken = start(era, { 'skills/list': (sent) => rpcError(sent, -32603, 'broken') })
    expect(await mcpRejection((await broken.opening).request('skills/list', {}))).toMatchObject({
      code: 'ERR_MCP_JSONRPC',
      data: { rpcCode: -32603, method: 'skills/list' },
    })
    const odd = start(era, { 'skills/list': (sent) => reply(sent, { skills: 'all' }) })
    expect(await mcpRejection((await odd.opening).request('skills/list', {}))).toMatchObject({
      code: 'ERR_MCP_INVALID_RESPONSE',
    })
  })

  test('are read file by file, each once', async () => {
    const parts = start(era)
    const connection = await parts.opening
    expect(await connection.request('skills/read', { skill })).toEqual({
      uri: skill.uri,
      mimeType: 'text/markdown',
      bytes: new Uint8Array(Buffer.from(manifest)),
      text: manifest,
      verified: true,
      frontmatter: skill.frontmatter,
      body: 'Read [this](references/FORMS.md).\n',
    })
    const form = await connection.request('skills/read', { skill, ref: 'references/FORMS.md' })
    expect(form).toMatchObject({ text: 'forms', verified: true })
    const logo = await connection.request('skills/read', { skill, ref: 'logo.png' })
    expect(logo.bytes).toEqual(new Uint8Array(png))
    expect(asked(parts)).toEqual(['resources/read', 'resources/read', 'resources/read'])
  })

  test.each<[string, string, string | undefined, Record<string, string>, number]>([
    ['another size', 'size', undefined, { text: `${manifest} ` }, 1],
    ['another digest', 'digest', undefined, { text: manifest.replace('Read', 'Note') }, 1],
    ['a file that is not listed', 'unlisted', 'other.md', {}, 0],
    ['a file elsewhere', 'unlisted', '../../etc/passwd', {}, 0],
  ])('with %s are not given', async (_what, reason, ref, content, reads) => {
    const parts = start(era, {
      'resources/read': (sent) => reply(sent, { contents: [{ uri: sent.body!.params!.uri, ...content }] }),
    })
    const connection = await parts.opening
    const error = await mcpRejection(connection.request('skills/read', { skill, ...(ref && { ref }) }))
    expect(error).toMatchObject({
      code: 'ERR_MCP_INVALID_RESPONSE',
      data: { reason, method: 'skills/read', server: 'https://server.example/mcp' },
    })
    expect(asked(parts)).toHaveLength(reads)
  })

  test('whose frontmatter is not the entry’s are not given, also where no digest tells', async () => {
    const dynamic: Skill = { ...skill, resources: 'dynamic', frontmatter: { ...skill.frontmatter, license: 'MIT' } }
    const parts = start(era)
    const reading = (await parts.opening).request('skills/read', { skill: dynamic })
    expect(await mcpRejection(reading)).toMatchObject({ data: { reason: 'frontmatter' } })
  })

  test('must be entries: anything else is refused before it is sent', async () => {
    const parts = start(era)
    const connection = await parts.opening
    for (const wrong of [undefined, null, 'skill://forms/SKILL.md', { ...skill, resources: [] }])
      expect(await mcpRejection(connection.request('skills/read', { skill: wrong as never }))).toMatchObject({
        code: 'ERR_MCP_CONFIG',
        data: { key: 'skill' },
      })
    expect(asked(parts)).toEqual([])
  })

  test('are asked for within the call’s time, and by the recovery of every call', async () => {
    const hanging = start(era, { 'resources/read': () => new Promise(() => {}) })
    const connection = await hanging.opening
    const failing = mcpRejection(connection.request('skills/read', { skill }, { timeoutMs: 50 }))
    while (asked(hanging).length === 0) await new Promise(setImmediate)
    hanging.timers.advance(50)
    expect(await failing).toMatchObject({ code: 'ERR_MCP_TIMEOUT', data: { limit: 50, method: 'skills/read' } })
    let refusals = 0
    const busy = start(era, {
      'skills/list': (sent) =>
        refusals++ === 0
          ? new Response(null, { status: 429, headers: { 'retry-after': '1' } })
          : reply(sent, { skills: [skill] }),
    })
    const listing = (await busy.opening).request('skills/list', {})
    while (busy.timers.asked.at(-1) !== 1_000) await new Promise(setImmediate)
    busy.timers.advance(1_000)
    expect((await listing).skills).toEqual([skill])
  })
})
