import type { JsonObject } from '../protocol.js'
import { type Faults, quote } from './faults.js'

/** What the options of a command declare, and what is left of it. */
export interface AddOptions {
  /** The server's name, and its command or URL. */
  positional: string[]
  /** What the command's own arguments are. */
  args: string[]
  transport?: string
  url?: string
  env: [string, string][]
  headers: [string, string][]
  /** Keys of the entry that some clients have. */
  more: JsonObject
}

type Read = (options: AddOptions, value: string, fail: (what: string) => void) => void

const pair: (of: 'env' | 'headers', mark: '=' | ':') => Read = (of, mark) => (options, value, fail) => {
  const at = value.indexOf(mark)
  // What it holds may be a secret: only its form is told.
  if (at < 1 || (of === 'headers' && value.slice(at + 1).trim() === ''))
    fail(of === 'env' ? 'takes NAME=VALUE' : 'takes "Name: value"')
  else options[of].push([value.slice(0, at).trim(), of === 'env' ? value.slice(at + 1) : value.slice(at + 1).trim()])
}
const keep =
  (key: string): Read =>
  (options, value) => {
    options.more[key] = value
  }
const keepList =
  (key: string): Read =>
  (options, value) => {
    const earlier = options.more[key]
    options.more[key] = [...(Array.isArray(earlier) ? earlier : []), ...value.split(',')]
  }
const ignore: Read = () => {}
const transport: Read = (options, value) => {
  options.transport = value
}

/** Options that take a value, of every client that is known here. */
const valued: Record<string, Read> = {
  transport,
  type: transport,
  url: (options, value) => {
    options.url = value
  },
  env: pair('env', '='),
  header: pair('headers', ':'),
  'bearer-token-env-var': (options, value) => {
    options.headers.push(['Authorization', `Bearer \${${value}}`])
  },
  'client-id': (options, value) => {
    options.more.oauth = { ...(options.more.oauth as JsonObject), clientId: value }
  },
  'callback-port': (options, value) => {
    options.more.oauth = { ...(options.more.oauth as JsonObject), callbackPort: Number(value) }
  },
  timeout: (options, value) => {
    options.more.timeout = Number(value)
  },
  description: keep('description'),
  'include-tools': keepList('includeTools'),
  'exclude-tools': keepList('excludeTools'),
  scope: ignore,
}
const flags: Record<string, Read> = {
  trust: (options) => {
    options.more.trust = true
  },
  // It has its client ask for the secret.
  'client-secret': ignore,
  debug: ignore,
}
const short: Record<string, string> = { t: 'transport', e: 'env', H: 'header', s: 'scope', d: 'debug' }

/** Options that may have several values, and what tells a value from the name of a server. */
const several: Record<string, RegExp> = { env: /^[A-Za-z_]\w*=/, header: /^[\w-]+:\s/ }

/**
 * Takes the words after `mcp add` apart. Options may stand anywhere before `--`; one that is not known here belongs to
 * the server's command, where that has begun.
 *
 * @param trailing - Whether all that follows the command is its own, as Codex has it.
 */
export function readAddOptions(words: string[], trailing: boolean, faults: Faults): AddOptions {
  const options: AddOptions = { positional: [], args: [], env: [], headers: [], more: {} }
  for (let at = 0; at < words.length; at++) {
    const word = words[at]!
    const hasBegun = options.positional.length > 1
    if (word === '--') {
      const rest = words.slice(at + 1)
      // The first word after it is the command where there was none.
      if (options.positional.length === 1) options.positional.push(...rest.splice(0, 1))
      options.args.push(...rest)
      break
    }
    const option = hasBegun && trailing ? undefined : optionOf(word)
    const { name, value } = option ?? {}
    if (name !== undefined && Object.hasOwn(flags, name)) flags[name]!(options, '', () => {})
    else if (name !== undefined && Object.hasOwn(valued, name)) {
      const fail = (what: string) => faults.add(undefined, `the option ${quote(`--${name}`)} ${what}`, { key: name })
      const given = value ?? words[++at]
      if (given === undefined) fail('takes a value')
      else valued[name]!(options, given, fail)
      const follows = Object.hasOwn(several, name) ? several[name] : undefined
      while (value === undefined && follows?.test(words[at + 1] ?? '')) valued[name]!(options, words[++at]!, fail)
    } else if (hasBegun) options.args.push(word)
    else if (word.startsWith('-') && word !== '-')
      faults.add(
        undefined,
        // Not what may be written to it without a space.
        `the option ${quote(/^-(?:-[\w-]+|\w)/.exec(word)?.[0] ?? '-')} is not known here; what belongs to the server's command comes after "--"`,
      )
    else options.positional.push(word)
  }
  return options
}

/** `--name`, `--name=value`, `-e value` or `-eVALUE`. */
function optionOf(word: string): { name: string; value?: string } | undefined {
  const [, long, value] = /^--([\w-]+)(?:=(.*))?$/s.exec(word) ?? []
  if (long !== undefined) return { name: long, ...(value !== undefined && { value }) }
  const [, letter, attached] = /^-([A-Za-z])(.*)$/s.exec(word) ?? []
  if (letter === undefined || !Object.hasOwn(short, letter)) return
  return { name: short[letter]!, ...(attached && { value: attached }) }
}
