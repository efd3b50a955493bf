import { applyEdits, modify } from 'jsonc-parser'
import type { JsonObject } from '../protocol.js'
import { createFaults } from './faults.js'
import { readJson } from './json-text.js'

export interface WriteServersOptions {
  /** A file's text to write into: its other servers, keys and comments stay. Default: a new file. */
  into?: string
  /** The file's name, for errors. */
  file?: string
  /** Which form a new file has: `servers` is that of VS Code. Default `mcpServers`. */
  form?: 'mcpServers' | 'servers'
}

/**
 * Writes servers into a file: each declaration as it is, with the keys that are not known here, under its name. What
 * {@link readServers} and {@link parseAddCommand} give as `declarations` has variables where the file has them, so no
 * secret is written that was none of the file before.
 *
 * @param declarations - By name; in place of a declaration that is there, and `null` takes one away.
 * @returns The file's text, with the indentation and line ends that it had.
 * @throws {ConfigError} `ERR_MCP_CONFIG` where `into` is no file of servers.
 */
export function writeServers(
  declarations: Readonly<Record<string, JsonObject | null>>,
  { into, file, form = 'mcpServers' }: WriteServersOptions = {},
): string {
  const mark = into?.startsWith('\ufeff') ? '\ufeff' : ''
  let text = into?.slice(mark.length) ?? `{\n  "${form}": {}\n}\n`
  const faults = createFaults(file)
  const root = readJson(text, faults)
  const key =
    root.kind === 'object' ? (['mcpServers', 'servers'] as const).find((each) => root.entries.has(each)) : undefined
  const present = key && root.kind === 'object' ? root.entries.get(key)!.value : undefined
  if (root.kind !== 'object' || (present && present.kind !== 'object'))
    faults.add(root.line, 'it is no file of servers: "mcpServers" or "servers" must be an object')
  faults.check()
  const formattingOptions = layoutOf(text)
  for (const [name, declaration] of Object.entries(declarations)) {
    const edits = modify(text, [key ?? form, name], declaration ?? undefined, { formattingOptions })
    text = applyEdits(text, edits)
  }
  return mark + text
}

/** As the text is laid out, so that what is written looks like the rest. */
function layoutOf(text: string) {
  const [, indent] = /\n([ \t]+)"/.exec(text) ?? []
  return {
    insertSpaces: !indent?.startsWith('\t'),
    tabSize: indent && !indent.startsWith('\t') ? indent.length : 2,
    eol: text.includes('\r\n') ? '\r\n' : '\n',
  }
}
