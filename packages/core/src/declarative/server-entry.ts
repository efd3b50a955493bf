import { resolveConfig, type ServerConfig } from '../config.js'
import { McpError } from '../errors.js'
import { type Faults, quotePath } from './faults.js'
import { type Located, type LocatedObject, type Member, stringOf } from './located.js'
import type { Expand } from './variables.js'

/** A server that is started by a command and spoken to over its standard streams. */
export interface StdioServer {
  command: string
  args?: string[]
  /** Environment variables, beside the few that every command gets. */
  env?: Record<string, string>
  cwd?: string
  /** A file of further environment variables, which is for the app to read: put them into `env`, and take this away. */
  envFile?: string
}

/** What an entry of a file declares: a configuration, or a command. */
export type FileServer = ServerConfig | StdioServer

interface EntryContext {
  /** The keys that lead to the entry. */
  path: string[]
  name: string
  expand: Expand
  faults: Faults
}

/** What clients call the URL. */
const urlKeys = ['url', 'httpUrl', 'serverUrl']
/** What clients call the transports; `http` leaves open which of the two HTTP transports it is. */
const transports: Record<string, ServerConfig['transport'] | 'stdio'> = {
  http: 'auto',
  'streamable-http': 'streamable-http',
  streamableHttp: 'streamable-http',
  streamable_http: 'streamable-http',
  sse: 'sse',
  stdio: 'stdio',
}

/** Whether the entry says that it is not in use. */
export function isDisabled({ entries }: LocatedObject): boolean {
  const flag = (key: string) => {
    const value = entries.get(key)?.value
    return value?.kind === 'scalar' ? value.value : undefined
  }
  return flag('disabled') === true || flag('enabled') === false
}

/** The server that an entry declares, its variables expanded; nothing where there are faults. */
export function readEntry(entry: LocatedObject, context: EntryContext): FileServer | undefined {
  const { faults, path, name } = context
  const fields = createFields(entry, context)
  const said = fields.string('type') ?? (stringOf(entry.entries.get('transport')?.value) && fields.string('transport'))
  const transport = said === undefined ? undefined : Object.hasOwn(transports, said) ? transports[said] : 'unknown'
  if (transport === 'unknown') {
    fields.wrong(
      entry.entries.has('type') ? 'type' : 'transport',
      'must be "http", "streamable-http", "sse" or "stdio"',
    )
    return
  }
  const urlKey = urlKeys.find((key) => entry.entries.has(key))
  const hasCommand = entry.entries.has('command')
  const reject = (message: string): undefined => {
    faults.add(entry.line, `${quotePath(...path)} ${message}`, { server: name, key: path.join('.') })
  }
  if (hasCommand && urlKey && transport === undefined)
    return reject(`has both "command" and "${urlKey}": say by "type" which of them counts`)
  if (transport === 'stdio' || (transport === undefined && hasCommand)) {
    if (!hasCommand) return reject('needs a "command"')
    return readStdio(fields)
  }
  if (!urlKey) return reject(transport === undefined ? 'needs a "url" or a "command"' : 'needs a "url"')
  return readHttp(urlKey, transport, fields, context)
}

function readStdio(fields: Fields): StdioServer {
  const args = fields.strings('args')
  const env = fields.record('env')
  const cwd = fields.string('cwd')
  const envFile = fields.string('envFile')
  return {
    command: fields.string('command') ?? '',
    ...(args && { args }),
    ...(env && { env }),
    ...(cwd !== undefined && { cwd }),
    ...(envFile !== undefined && { envFile }),
  }
}

function readHttp(
  urlKey: string,
  transport: ServerConfig['transport'],
  fields: Fields,
  { faults, name, path }: EntryContext,
): ServerConfig | undefined {
  const url = fields.string(urlKey)
  const headers = fields.record('headers')
  if (url === undefined || fields.failed) return
  const config: ServerConfig = {
    url,
    ...(transport !== undefined && transport !== 'auto' && { transport }),
    ...withCredentials(headers),
  }
  try {
    resolveConfig(config, name)
    return config
  } catch (error) {
    if (!McpError.is(error)) throw error
    const { key = urlKey } = error.data
    const inFile = key === 'url' ? urlKey : key
    faults.add(fields.lineOf(inFile), `${quotePath(...path)}: ${error.message}`, { server: name, key: inFile })
  }
}

/** A bearer token as RFC 6750 has it; anything else is a header like any other. */
const bearer = /^bearer +([\w~+/.-]+=*) *$/i

function withCredentials(headers: Record<string, string> | undefined): Pick<ServerConfig, 'auth' | 'headers'> {
  if (!headers) return {}
  const entries = Object.entries(headers)
  const found = entries.find(([header, value]) => header.toLowerCase() === 'authorization' && bearer.test(value))
  const rest = entries.filter((entry) => entry !== found)
  return {
    ...(found && { auth: { type: 'bearer' as const, token: bearer.exec(found[1])![1]! } }),
    ...(rest.length > 0 && { headers: Object.fromEntries(rest) }),
  }
}

/** An entry's keys, each with its type checked and its variables expanded. */
interface Fields {
  /** Whether any of them has shown a fault. */
  readonly failed: boolean
  string(key: string): string | undefined
  strings(key: string): string[] | undefined
  /** Numbers and booleans are taken as their text; `null` is no value. */
  record(key: string): Record<string, string> | undefined
  lineOf(key: string): number
  wrong(key: string, what: string): void
}

function createFields(entry: LocatedObject, { expand, faults, name, path }: EntryContext): Fields {
  const member = (key: string): Member | undefined => entry.entries.get(key)
  let failed = false
  const reportAt = (line: number, what: string, ...keys: (string | number)[]): undefined => {
    failed = true
    faults.add(line, `${quotePath(...path, ...keys)} ${what}`, { server: name, key: [...path, ...keys].join('.') })
  }
  const textOf = (value: Located, ...keys: (string | number)[]): string | undefined => {
    const text = stringOf(value)
    if (text === undefined) return reportAt(value.line, 'must be a string', ...keys)
    return expand(text, (wrong) => reportAt(value.line, wrong, ...keys))
  }
  return {
    get failed() {
      return failed
    },
    string(key) {
      const found = member(key)
      return found && textOf(found.value, key)
    },
    strings(key) {
      const found = member(key)
      if (!found) return
      const { value } = found
      if (value.kind === 'list') return value.items.map((item, index) => textOf(item, key, index) ?? '')
      return reportAt(value.line, 'must be a list of strings', key)
    },
    record(key) {
      const found = member(key)
      if (!found) return
      if (found.value.kind !== 'object') return reportAt(found.value.line, 'must be an object of strings', key)
      const texts = [...found.value.entries].flatMap(([own, { value }]) => {
        if (value.kind !== 'scalar') reportAt(value.line, 'must be a string', key, own)
        if (value.kind !== 'scalar' || value.value === null) return []
        return [[own, expand(String(value.value), (wrong) => reportAt(value.line, wrong, key, own))]]
      })
      return Object.fromEntries(texts) as Record<string, string>
    },
    lineOf(key) {
      const headers = member('headers')?.value
      const header =
        headers?.kind === 'object'
          ? [...headers.entries].find(([own]) => own.toLowerCase() === key.toLowerCase())
          : undefined
      return member(key)?.line ?? header?.[1].line ?? entry.line
    },
    wrong(key, what) {
      reportAt(member(key)?.line ?? entry.line, what, key)
    },
  }
}
