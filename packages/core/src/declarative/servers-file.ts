import type { JsonObject } from '../protocol.js'
import { readDocument } from './document.js'
import { createFaults, type Faults, quote, quotePath } from './faults.js'
import { type Located, type LocatedObject, stringOf, toJsonObject } from './located.js'
import { type FileServer, isDisabled, readEntry } from './server-entry.js'
import { createExpand, type VariableSources } from './variables.js'

/** Servers that a file declares. */
export interface ServersFile {
  /**
   * Each server that is in use, by its name and in the file's order: a configuration, or a command. Variables are
   * expanded, so that it holds secrets.
   */
  servers: Record<string, FileServer>
  /** Each entry as it stands: variables not expanded, unknown keys kept, disabled servers too. To be written again. */
  declarations: Record<string, JsonObject>
  /** Names of the servers that are switched off (`disabled: true`, `enabled: false`). */
  disabled: string[]
  /** What the file asks its user for (`inputs`). */
  inputs: ServerInput[]
}

/** A value that a file asks its user for: `${input:ID}` stands for it. */
export interface ServerInput {
  id: string
  /** `promptString` or `pickString`, as far as is known. */
  type?: string
  description?: string
  /** Whether it is a secret. */
  password?: boolean
  default?: string
  /** Of `pickString`: what may be picked. */
  options?: string[]
}

export interface ReadServersOptions extends VariableSources {
  /** The file's name, for errors. `.json` by default, in which comments and trailing commas are allowed. */
  file?: string
}

/**
 * Reads the servers that a file declares, in the form that desktop clients use (`mcpServers`), or in that of VS Code
 * (`servers` and `inputs`). Nothing is read but the text, and no environment but the one that is given.
 *
 * An entry has a `command` (with `args`, `env`, `cwd`), or a `url` (with `type` and `headers`). `${NAME}`,
 * `${NAME:-default}`, `${env:NAME}` and `${input:ID}` are expanded in all of these. An `Authorization` header with a
 * bearer token becomes `auth`. A server that is disabled is left out of `servers`, and needs none of its variables.
 *
 * @param text - The file's text, up to 4 Mi characters; a byte order mark and either line end are fine.
 * @throws {ConfigError} `ERR_MCP_CONFIG` with everything that is wrong: `data.errors` has one error for each fault, with
 *   `file`, `line`, `key` and `server`. No value of the file or of a variable is in any of them.
 * @see {@link https://code.visualstudio.com/docs/copilot/reference/mcp-configuration}
 */
export function readServers(text: string, options: ReadServersOptions = {}): ServersFile {
  const faults = createFaults(options.file)
  return serversOf(readDocument(text, options.file ?? '.json', faults), options, faults)
}

/**
 * Reads what a file asks its user for, before there are answers.
 *
 * @throws {ConfigError} `ERR_MCP_CONFIG` as {@link readServers}.
 */
export function readInputs(text: string, { file }: Pick<ReadServersOptions, 'file'> = {}): ServerInput[] {
  const faults = createFaults(file)
  const inputs = inputsOf(readDocument(text, file ?? '.json', faults), faults)
  faults.check()
  return inputs
}

/** {@link readServers} of a document that was parsed. */
export function serversOf(root: Located, sources: VariableSources, faults: Faults): ServersFile {
  const [key, entries] = findEntries(root, faults)
  const inputs = inputsOf(root, faults)
  const expand = createExpand(sources, new Map(inputs.map((input) => [input.id, input.default])))
  const servers: [string, FileServer][] = []
  const declarations: [string, JsonObject][] = []
  const disabled: string[] = []
  for (const [name, { line, value }] of entries) {
    const path = [key, name]
    if (value.kind !== 'object') {
      faults.add(line, `${quotePath(...path)} must be an object`, { server: name, key: path.join('.') })
      continue
    }
    declarations.push([name, toJsonObject(value)])
    if (isDisabled(value)) disabled.push(name)
    else {
      const server = readEntry({ ...value, line }, { path, name, expand, faults })
      if (server) servers.push([name, server])
    }
  }
  faults.check()
  return { servers: Object.fromEntries(servers), declarations: Object.fromEntries(declarations), disabled, inputs }
}

/** The keys that hold servers. */
export const forms = ['mcpServers', 'servers'] as const

/** The key that holds the servers, and the servers. */
function findEntries(root: Located, faults: Faults): [key: string, entries: LocatedObject['entries']] {
  const found = root.kind === 'object' ? forms.filter((form) => root.entries.has(form)) : []
  const [key] = found
  if (root.kind !== 'object' || key === undefined)
    faults.add(root.line, 'it must be an object with the key "mcpServers" or "servers"')
  else if (found.length > 1)
    faults.add(root.entries.get('servers')!.line, 'it has "servers" beside "mcpServers": keep one')
  else {
    const { line, value } = root.entries.get(key)!
    if (value.kind === 'object') return [key, value.entries]
    faults.add(line, `"${key}" must be an object of servers by name`, { key })
  }
  faults.check()
  return ['', new Map()]
}

function inputsOf(root: Located, faults: Faults): ServerInput[] {
  const member = root.kind === 'object' ? root.entries.get('inputs') : undefined
  if (!member) return []
  if (member.value.kind !== 'list') {
    faults.add(member.line, '"inputs" must be a list', { key: 'inputs' })
    return []
  }
  const lines = new Map<string, number>()
  return member.value.items.flatMap((item) => {
    const id = item.kind === 'object' ? stringOf(item.entries.get('id')?.value) : undefined
    if (item.kind !== 'object' || id === undefined) {
      faults.add(item.line, 'each of the "inputs" must be an object with an "id"', { key: 'inputs' })
      return []
    }
    const earlier = lines.get(id)
    if (earlier !== undefined)
      faults.add(item.line, `the input ${quote(id)} is there already, on line ${earlier}`, { key: id })
    lines.set(id, item.line)
    return [toInput(id, item)]
  })
}

function toInput(id: string, { entries }: LocatedObject): ServerInput {
  const string = (key: 'type' | 'description' | 'default') => {
    const text = stringOf(entries.get(key)?.value)
    return text !== undefined && { [key]: text }
  }
  const password = entries.get('password')?.value
  const options = entries.get('options')?.value
  return {
    id,
    ...string('type'),
    ...string('description'),
    ...(password?.kind === 'scalar' && password.value === true && { password: true }),
    ...string('default'),
    ...(options?.kind === 'list' && { options: options.items.flatMap((item) => stringOf(item) ?? []) }),
  }
}
