import { readFile } from 'node:fs/promises'
import path from 'node:path'
import type { LocalServer } from '@x/core/stdio'
import type { Upstream } from '@x/edge'
import { type ParseError, parse, printParseErrorCode } from 'jsonc-parser'
import * as z from 'zod'

/** An upstream, and what the page calls it. */
export interface GatewayServer {
  title: string
  config: Upstream
}

/** A server that is named in a file: one that is reached by HTTP, or one to start. */
export type NamedServer = GatewayServer | { title: string; local: LocalServer }

/** What is wrong with the file of servers, in one line that holds no value of a header. */
export class ServersFileError extends Error {
  override name = 'ServersFileError'
}

const httpEntry = z.object({
  url: z.url({ protocol: /^https?$/, error: 'must be an http or https URL' }),
  type: z.enum(['http', 'streamable-http'], { error: 'must be "http", the only transport of the gateway' }).optional(),
  headers: z.record(z.string(), z.string({ error: 'must be a string' }), { error: 'must be an object' }).optional(),
})
const localEntry = z.object({
  command: z.string({ error: 'must be a string' }).min(1, { error: 'must name a program' }),
  type: z.enum(['stdio'], { error: 'must be "stdio" beside "command"' }).optional(),
  args: z.array(z.string({ error: 'must be a string' }), { error: 'must be a list' }).optional(),
  env: z.record(z.string(), z.string({ error: 'must be a string' }), { error: 'must be an object' }).optional(),
  cwd: z.string({ error: 'must be a string' }).optional(),
})
const file = z.object(
  {
    mcpServers: z.record(z.string(), z.looseObject({}, { error: 'must be an object' }), { error: 'must be an object' }),
  },
  { error: 'must be an object with the key "mcpServers"' },
)

/**
 * Reads servers as other MCP clients write them, `{ "mcpServers": { NAME: { "url", "headers", "type" } } }` or
 * `{ "command", "args", "env", "cwd" }`; comments are skipped and unknown keys ignored. A `cwd` that is no absolute path
 * is below the file's folder.
 *
 * @throws {ServersFileError}
 */
export async function readServers(from: string): Promise<Record<string, NamedServer>> {
  const fail = (what: string): never => {
    throw new ServersFileError(`${from}: ${what}`)
  }
  const entries = Object.entries(check(file, await readJson(from, fail), [], fail).mcpServers)
  if (entries.length === 0) fail('"mcpServers" names no server')
  return Object.fromEntries(
    entries.map(([name, entry]): [string, NamedServer] => {
      const key = ['mcpServers', name]
      if ('command' in entry) {
        const { command, args, env, cwd } = check(localEntry, entry, key, fail)
        const local: LocalServer = {
          name,
          command,
          ...(args && { args }),
          ...(env && { env }),
          ...(cwd !== undefined && { cwd: path.resolve(path.dirname(from), cwd) }),
        }
        return [name, { title: path.basename(command), local }]
      }
      const { url, headers } = check(httpEntry, entry, key, fail)
      return [name, { title: new URL(url).host, config: { url, ...(headers && { headers }) } }]
    }),
  )
}

type Fail = (what: string) => never

async function readJson(from: string, fail: Fail): Promise<unknown> {
  const bytes = await readFile(from).catch(({ code }: NodeJS.ErrnoException) => fail(`it can't be read (${code})`))
  // It drops a byte order mark, which editors on Windows write.
  const text = new TextDecoder().decode(bytes)
  const errors: ParseError[] = []
  const value: unknown = parse(text, errors, { allowTrailingComma: true })
  const [first] = errors
  if (!first) return value
  const lines = text.slice(0, first.offset).split('\n')
  // The parser's words, not the text: that may be in the middle of a secret.
  const what = printParseErrorCode(first.error).replace(/(?<=.)[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
  return fail(`line ${lines.length}, column ${lines.at(-1)!.length + 1}: no valid JSON: ${what}`)
}

function check<Value>(schema: z.ZodType<Value>, value: unknown, at: string[], fail: Fail): Value {
  const { data, error } = schema.safeParse(value)
  if (!error) return data
  const [issue] = error.issues
  const key = [...at, ...issue!.path].join('.')
  return fail(`${key ? `"${key}"` : 'it'} ${issue!.message}`)
}
