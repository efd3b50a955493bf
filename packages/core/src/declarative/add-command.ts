import type { Json, JsonObject } from '../protocol.js'
import { readAddOptions } from './add-options.js'
import { createFaults, type Faults, quote } from './faults.js'
import { readJson } from './json-text.js'
import { locate, toJson } from './located.js'
import { type ServersFile, serversOf } from './servers-file.js'
import { splitWords } from './shell-words.js'
import type { VariableSources } from './variables.js'

/**
 * Reads the server that a command line would add: `claude mcp add`, `claude mcp add-json`, `codex mcp add`,
 * `gemini mcp add` and what is like them, and `code --add-mcp`. Nothing is run. The shell's quoting is understood, and
 * its `$NAME` becomes the variable `${NAME}`.
 *
 * @param text - One command, over several lines where they end with `\`; a prompt (`$ `) before it is skipped.
 * @returns As a file with this one server: {@link writeServers} writes its `declarations` into one.
 * @throws {ConfigError} `ERR_MCP_CONFIG` for another command, one that does more than to add a server, and a server that
 *   is none. No value is in the message.
 * @see {@link https://code.claude.com/docs/en/mcp}
 * @see {@link https://github.com/google-gemini/gemini-cli/blob/main/docs/tools/mcp-server.md}
 */
export function parseAddCommand(text: string, sources: VariableSources = {}): ServersFile {
  const faults = createFaults(undefined)
  const words = splitWords(text.replace(/\r\n/g, '\n').replace(/^\s*[$>]\s+/, ''), faults)
  const [name, declaration] = readWords(words, faults)
  faults.check()
  return serversOf(locate({ mcpServers: Object.fromEntries([[name, declaration]]) }, 1), sources, faults)
}

/** A program, or `npx` and a package, before `mcp add`. */
const maxWordsBefore = 4

function readWords(words: string[], faults: Faults): [name: string, declaration: JsonObject] {
  const code = words.findIndex((word) => /^--add-mcp(=|$)/s.test(word))
  if (code > 0)
    return readAddMcp(words[code] === '--add-mcp' ? words[code + 1] : words[code]!.slice('--add-mcp='.length), faults)
  const mcp = words.indexOf('mcp')
  const verb = words[mcp + 1]
  if (mcp > 0 && mcp <= maxWordsBefore) {
    const trailing = /(^|[\\/])codex$/.test(words[0]!)
    if (verb === 'add') return readAdd(words.slice(mcp + 2), trailing, faults)
    if (verb === 'add-json') return readAddJson(words.slice(mcp + 2), faults)
  }
  faults.add(
    undefined,
    'this is no command that adds a server, such as "claude mcp add NAME URL" or "code --add-mcp JSON"',
  )
  faults.check()
  return ['', {}]
}

function readAdd(words: string[], trailing: boolean, faults: Faults): [string, JsonObject] {
  const { positional, args, transport, url, env, headers, more } = readAddOptions(words, trailing, faults)
  // Before anything is named: where an option lacks its value, a name may be what a header was to hold.
  faults.check()
  const [name = '', target = url] = positional
  // A URL in its place may hold a secret, and is not told.
  if (name === '' || name.includes('://')) faults.add(undefined, 'the command names no server')
  else if (target === undefined)
    faults.add(undefined, `the server ${quote(name)} has neither a command nor a URL`, { server: name })
  else if (url !== undefined && positional.length > 1)
    faults.add(undefined, `the server ${quote(name)} has a command beside its URL`, { server: name })
  const isUrl =
    url !== undefined || (transport === undefined ? /^https?:\/\//i.test(target ?? '') : transport !== 'stdio')
  const unused = isUrl ? env.length > 0 || args.length > 0 : headers.length > 0
  if (unused)
    faults.add(
      undefined,
      `the server ${quote(name)} ${isUrl ? 'has a URL, which takes no "--env" and no arguments' : 'has a command, which takes no "--header"'}`,
      { server: name },
    )
  const declaration: JsonObject = isUrl
    ? { type: transport ?? 'http', url: target ?? '', ...record('headers', headers), ...more }
    : { ...(transport && { type: transport }), command: target ?? '', args, ...record('env', env), ...more }
  return [name, declaration]
}

const record = (key: string, pairs: [string, string][]) => pairs.length > 0 && { [key]: Object.fromEntries(pairs) }

function readAddJson(words: string[], faults: Faults): [string, JsonObject] {
  const { positional } = readAddOptions(words, false, faults)
  const [name, json] = positional
  if (name === undefined || json === undefined)
    faults.add(undefined, '"mcp add-json" takes a name and the JSON of a server')
  faults.check()
  return [name!, parseObject(json!, faults)]
}

function readAddMcp(json: string | undefined, faults: Faults): [string, JsonObject] {
  if (json === undefined) faults.add(undefined, '"--add-mcp" takes the JSON of a server')
  faults.check()
  const { name, ...declaration } = parseObject(json!, faults)
  if (typeof name !== 'string' || name === '') faults.add(undefined, 'the JSON of the server has no "name"')
  return [String(name), declaration]
}

function parseObject(json: string, faults: Faults): JsonObject {
  const value: Json = toJson(readJson(json, faults))
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  faults.add(undefined, 'the JSON of the server must be an object')
  faults.check()
  return {}
}
