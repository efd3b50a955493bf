import { skillEntry } from '@modelcontextprotocol/server/ext/skills'
import { createRpcError } from './rpc-error.js'
import { skillFiles } from './skill-files.js'

type Params = Record<string, unknown>

export const skillsExtension = 'io.modelcontextprotocol/skills'

const freshness = { ttlMs: 0, cacheScope: 'private' }

/**
 * The methods of the extension `io.modelcontextprotocol/skills`, one skill on each page.
 *
 * @returns undefined for any other method.
 */
export async function answerSkills(method: string, params: Params): Promise<Params | undefined> {
  if (method !== 'skills/list' && method !== 'skills/get') return undefined
  const skills = await Promise.all(Object.entries(skillFiles).map(([name, files]) => skillEntry(name, files)))
  // What is read is not what the entry says, as when somebody changed it on the way.
  for (const file of skills.find(({ uri }) => uri.includes('forged'))?.resources ?? [])
    if (typeof file === 'object') file.digest = `sha256:${'0'.repeat(64)}`
  if (method === 'skills/list') {
    const page = params.cursor === undefined ? 0 : Number(params.cursor)
    const more = page + 1 < skills.length && { nextCursor: String(page + 1) }
    return { skills: skills.slice(page, page + 1), ...more, ...freshness }
  }
  const skill = skills.find(({ uri }) => uri === params.uri)
  if (!skill) throw createRpcError(-32602, `no such skill: ${params.uri}`)
  return { skill, ...freshness }
}

/** The contents of a file of a skill; undefined for any other URI. */
export function readSkillFile(uri: string): Params | undefined {
  const [, name = '', path = ''] = /^skill:\/\/([^/]+)\/(.+)$/.exec(uri) ?? []
  const content = skillFiles[name]?.[path]
  if (content === undefined) return undefined
  if (typeof content === 'string') return { uri, mimeType: 'text/markdown', text: content }
  return { uri, mimeType: 'application/octet-stream', blob: Buffer.from(content).toString('base64') }
}
