import { applyEdits, modify } from 'jsonc-parser'
import type { JsonObject } from '../protocol.js'
import { createFaults } from './faults.js'
import { readJson } from './json-text.js'
import { objectAt, toJson } from './located.js'
import { forms } from './servers-file.js'

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
  if (into === undefined) {
    const written = Object.entries(declarations).filter(([, declaration]) => declaration)
    return `${JSON.stringify({ [form]: Object.fromEntries(written) }, null, 2)}\n`
  }
  const mark = into.startsWith('\ufeff') ? '\ufeff' : ''
  let text = into.slice(mark.length)
  const faults = createFaults(file)
  const root = readJson(text, faults)
  const members = root.kind === 'object' ? root.entries : undefined
  const key = forms.find((each) => members?.has(each)) ?? form
  const present = members?.get(key)?.value ?? objectAt(1, new Map())
  if (!members || present.kind !== 'object')
    faults.add(present.line, 'it is no file of servers: "mcpServers" or "servers" must be an object')
  faults.check()
  const earlier = toJson(present) as JsonObject
  const formattingOptions = layoutOf(text)
  for (const [name, declaration] of Object.entries(declarations)) {
    // What stays as it is keeps its layout and its comments.
    const before = Object.hasOwn(earlier, name) ? earlier[name] : null
    if (JSON.stringify(before) === JSON.stringify(declaration)) continue
    text = applyEdits(text, modify(text, [key, name], declaration ?? undefined, { formattingOptions }))
  }
  return mark + text
}

/** As the text is laid out, so that what is written looks like the rest. */
function layoutOf(text: string) {
  const [, indent] = /\n([ \t]+)"/.exec(text) ?? []
  return {
    insertSpaces: !indent?.startsWith('\t'),
    tabSize: indent && !indent.startsWith('\t') ? indent.length : 2,
    // Of a text that has line ends it takes those.
    eol: '\n',
  }
}
