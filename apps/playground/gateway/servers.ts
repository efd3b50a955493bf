import { readFile } from 'node:fs/promises'
import type { ServerConfig } from '@x/edge'
import { type ParseError, parse, printParseErrorCode } from 'jsonc-parser'
import * as z from 'zod'

/** An upstream, and what the page calls it. */
export interface GatewayServer {
  title: string
  config: ServerConfig
}

/** What is wrong with the file of servers, in one line that holds no value of a header. */
export class ServersFileError extends Error {
  override name = 'ServersFileError'
}

const httpEntry = z.object({
  url: z.url({ protocol: /^https?$/, error: 'must be an http or https URL' }),
  type: z.enum(['http', 'streamable-http'], { error: 'must be "http", the only transport of the gateway' }).optional(),
  headers: z.record(z.string(), z.string({ error: 'must be a string' }), { error: 'must be an object' }).optional(),
})
const file = z.object(
  {
    mcpServers: z.record(z.string(), z.looseObject({}, { error: 'must be an object' }), { error: 'must be an object' }),
  },
  { error: 'must be an object with the key "mcpServers"' },
)

/**
 * Reads servers as other MCP clients write them, `{ "mcpServers": { NAME: { "url", "headers", "type" } } }`; comments are
 * skipped and unknown keys ignored.
 *
 * @throws {ServersFileError}
 */
export async function readServers(path: string): Promise<Record<string, GatewayServer>> {
  const fail = (what: string): never => {
    throw new ServersFileError(`${path}: ${what}`)
  }
  const entries = Object.entries(check(file, await readJson(path, fail), [], fail).mcpServers)
  if (entries.length === 0) fail('"mcpServers" names no server')
  return Object.fromEntries(
    entries.map(([name, entry]) => {
      const key = ['mcpServers', name]
      if ('command' in entry)
        fail(
          `"${key.join('.')}" starts a command (stdio), which the gateway does not offer yet; give a server with "url"`,
        )
      const { url, headers } = check(httpEntry, entry, key, fail)
      return [name, { title: new URL(url).host, config: { url, ...(headers && { headers }) } }]
    }),
  )
}

type Fail = (what: string) => never

async function readJson(path: string, fail: Fail): Promise<unknown> {
  const bytes = await readFile(path).catch(({ code }: NodeJS.ErrnoException) => fail(`it can't be read (${code})`))
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

function check<Value>(schema: z.ZodType<Value>, value: unknown, path: string[], fail: Fail): Value {
  const { data, error } = schema.safeParse(value)
  if (!error) return data
  const [issue] = error.issues
  const key = [...path, ...issue!.path].join('.')
  return fail(`${key ? `"${key}"` : 'it'} ${issue!.message}`)
}
