import type { Finding, Json, JsonObject } from '../protocol.js'

/**
 * Mends what servers get wrong without consequence: `null` where a member should be absent, a handshake that lacks what
 * nobody needs. Below their first level schemas are never touched, nor are arguments
 * and structured content. What is mended or left out is reported.
 */

type Report = (finding: Finding) => void

/** What makes an item of each list usable at all. */
const required: Readonly<Record<string, string[]>> = {
  tools: ['name'],
  resources: ['uri'],
  resourceTemplates: ['uriTemplate'],
  prompts: ['name'],
}

/**
 * The usable items of a list; each other one is left out and reported, and the rest is served.
 *
 * @param key - The list's member in its result, e.g. `tools`.
 */
export function mendList(key: string, items: Json[], report: Report): JsonObject[] {
  return items.flatMap((raw, index) => {
    const path = `/${key}/${index}`
    const leftOut = (why: string) => {
      report({ code: 'item-left-out', message: `An item of the list "${key}" was left out: ${why}`, path })
      return []
    }
    if (!isObject(raw)) return leftOut('it is no object')
    const lacking = (required[key] ?? []).find((member) => typeof raw[member] !== 'string' || raw[member] === '')
    if (lacking) return leftOut(`it has no "${lacking}"`)
    const item = withoutNulls(raw, path, report)
    if (isObject(item.annotations)) item.annotations = withoutNulls(item.annotations, `${path}/annotations`, report)
    if (Array.isArray(item.arguments))
      item.arguments = item.arguments.map((argument, at) =>
        isObject(argument) ? withoutNulls(argument, `${path}/arguments/${at}`, report) : argument,
      )
    if (key !== 'tools') {
      // A name is for people; the URI is what is used.
      item.name ??= (item.uri ?? item.uriTemplate)!
      return [item]
    }
    const schema = item.inputSchema
    if (!isObject(schema)) return leftOut(`the tool "${raw.name}" has no inputSchema`)
    item.inputSchema = mendInputSchema(schema, `${path}/inputSchema`, report)
    return [item]
  })
}

/** A tool's arguments are an object, whether its schema says so or not. Below its first level nothing is touched. */
function mendInputSchema(schema: JsonObject, path: string, report: Report): JsonObject {
  const { properties, required: names, type } = schema
  const mended = { ...schema }
  for (const [member, value] of Object.entries({ properties, required: names, type })) {
    if (value !== null) continue
    delete mended[member]
    report({ code: 'mended', message: `"${member}" was null and is taken as absent`, path: `${path}/${member}` })
  }
  if (mended.type === undefined) {
    mended.type = 'object'
    report({ code: 'mended', message: 'The schema has no type and is taken as an object’s', path: `${path}/type` })
  }
  return mended
}

/** The result of `initialize` or `server/discover` with all that the engine insists on but nobody needs. */
export function mendHandshake(result: JsonObject, report: Report): JsonObject {
  const mended = withoutNulls(result, '', report)
  const { capabilities, serverInfo } = mended
  if (capabilities === undefined) {
    report({ code: 'mended', message: 'The server does not tell its capabilities', path: '/capabilities' })
    mended.capabilities = {}
  } else if (isObject(capabilities)) mended.capabilities = withoutNulls(capabilities, '/capabilities', report)
  // Since 2026-07-28 a server may keep its name to itself, and tells it elsewhere.
  if ('protocolVersion' in mended || serverInfo !== undefined)
    mended.serverInfo = mendServerInfo(serverInfo, '/serverInfo', report)
  const { _meta } = mended
  if (isObject(_meta) && Object.hasOwn(_meta, modernServerInfo)) {
    const path = `/_meta/${modernServerInfo.replace('/', '~1')}`
    mended._meta = { ..._meta, [modernServerInfo]: mendServerInfo(_meta[modernServerInfo], path, report) }
  }
  return mended
}

const modernServerInfo = 'io.modelcontextprotocol/serverInfo'

function mendServerInfo(serverInfo: Json | undefined, path: string, report: Report): JsonObject {
  const info = isObject(serverInfo) ? withoutNulls(serverInfo, path, report) : {}
  for (const member of ['name', 'version']) {
    if (typeof info[member] === 'string') continue
    info[member] = ''
    report({ code: 'mended', message: `The server does not tell its ${member}`, path: `${path}/${member}` })
  }
  return info
}

function withoutNulls(value: JsonObject, path: string, report: Report): JsonObject {
  const entries = Object.entries(value).filter(([member, item]) => {
    if (item !== null) return true
    report({ code: 'mended', message: `"${member}" was null and is taken as absent`, path: `${path}/${member}` })
    return false
  })
  return Object.fromEntries(entries)
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
