import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { createHost } from '../src/host.js'
import { rejection } from './mcp-fetch.js'
import { servePorts, watchPosts } from './served-port.js'
import { url } from './test-host.js'

const manifest = '---\nname: forms\ndescription: Fills in forms\n---\nFill.\n'
const uri = 'skill://forms/SKILL.md'
const digest = `sha256:${createHash('sha256').update(manifest).digest('hex')}`
const skill = {
  uri,
  frontmatter: { name: 'forms', description: 'Fills in forms' },
  resources: [{ uri, digest, size: manifest.length }],
}

/** A server with one skill. */
function startSkills(text: string) {
  const cache = { ttlMs: 0, cacheScope: 'private' }
  const results: Record<string, object> = {
    'server/discover': {
      supportedVersions: ['2026-07-28'],
      capabilities: { resources: {}, extensions: { 'io.modelcontextprotocol/skills': {} } },
      ...cache,
    },
    'skills/list': { skills: [skill], ...cache },
    'resources/read': { contents: [{ uri, text }], ...cache },
  }
  const ports = servePorts(async (_url, init) => {
    const { id, method } = JSON.parse(String(init?.body))
    return Response.json({ jsonrpc: '2.0', id, result: { resultType: 'complete', ...results[method] } })
  })
  return { ports, host: createHost({ worker: ports.worker }) }
}

test('skills cross with their bytes, which are handed over', async () => {
  const { host, ports } = startSkills(manifest)
  const client = await host.connect(url)
  const skills = await client.listSkills()
  expect(skills).toEqual([skill])
  const posted = watchPosts(ports) as { value?: { value?: { bytes?: Uint8Array } } }[]
  const file = await client.readSkill(skills[0]!)
  expect(file).toMatchObject({ uri, text: manifest, body: 'Fill.\n', verified: true })
  expect(new TextDecoder().decode(file.bytes)).toBe(manifest)
  const [sent] = posted.flatMap((message) => message.value?.value?.bytes ?? [])
  expect(sent?.buffer.byteLength).toBe(0)
  await host.close()
})

test('a skill that is not what its entry says fails with the reason', async () => {
  const { host } = startSkills(manifest.replace('Fill.', 'Kill.'))
  const client = await host.connect(url)
  expect(await rejection(client.readSkill(skill))).toMatchObject({
    code: 'ERR_MCP_INVALID_RESPONSE',
    data: { reason: 'digest', method: 'skills/read' },
  })
  await host.close()
})
