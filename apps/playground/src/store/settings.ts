import type { AuthConfig, ServerConfig } from '@x/web'

/** What a person fills in to connect. All text, as typed; {@link toServerConfig} reads it. */
export interface Settings {
  url: string
  auth: 'none' | 'bearer' | 'api-key'
  token: string
  header: string
  headerValue: string
  maxResponseBytes: string
}

/** A field that can't be read, and what to do about it. */
export type SettingsProblems = Partial<Record<keyof Settings, string>>

export const emptySettings: Settings = {
  url: '',
  auth: 'none',
  token: '',
  header: 'X-Api-Key',
  headerValue: '',
  maxResponseBytes: '',
}

/** The demo server that the page's own origin serves. */
export function demoUrl(pageUrl: string): string {
  return new URL('/demo/mcp', pageUrl).href
}

/**
 * The settings to begin with: the link's, else the last URL, else the demo server.
 *
 * @param search - The page's query. `url` and `maxResponseBytes` are read; credentials never are.
 */
export function initialSettings(search: string, lastUrl: string | undefined, pageUrl: string): Settings {
  const query = new URLSearchParams(search)
  return {
    ...emptySettings,
    url: query.get('url') ?? lastUrl ?? demoUrl(pageUrl),
    maxResponseBytes: query.get('maxResponseBytes') ?? '',
  }
}

/** A link to this page that fills in the same server, without its credentials. */
export function shareLink(settings: Settings, pageUrl: string, tool?: string): string {
  const link = new URL(pageUrl)
  link.hash = ''
  link.search = ''
  link.searchParams.set('url', settings.url.trim())
  if (settings.maxResponseBytes.trim()) link.searchParams.set('maxResponseBytes', settings.maxResponseBytes.trim())
  if (tool) link.searchParams.set('tool', tool)
  return link.href
}

/** The URL as it may be remembered: its query, fragment and user name may hold a secret. */
export function rememberedUrl(url: string): string | undefined {
  if (!URL.canParse(url)) return undefined
  const { protocol, origin, pathname } = new URL(url)
  return protocol === 'https:' || protocol === 'http:' ? origin + pathname : undefined
}

/** The settings as `connect` takes them, or the fields that can't be read. */
export function toServerConfig(
  settings: Settings,
  pageUrl: string,
): { config: ServerConfig; problems?: never } | { config?: never; problems: SettingsProblems } {
  const problems: SettingsProblems = {}
  const typed = settings.url.trim()
  if (!typed) problems.url = 'Enter the URL of an MCP endpoint, such as https://example.com/mcp.'
  else if (!URL.canParse(typed, pageUrl))
    problems.url = 'This is not a URL. It should look like https://example.com/mcp.'
  else if (!/^https?:$/.test(new URL(typed, pageUrl).protocol))
    problems.url = 'The URL must begin with https:// or http://.'

  const maxResponseBytes = readBytes(settings.maxResponseBytes)
  if (maxResponseBytes === 'invalid')
    problems.maxResponseBytes = 'Enter a whole number of bytes of at least 1, or a size such as 1 MB or 512 KiB.'
  if (settings.auth === 'bearer' && !settings.token.trim()) problems.token = 'Enter a token, or choose “None”.'
  if (settings.auth === 'api-key' && !settings.header.trim()) problems.header = 'Enter the name of the header.'
  if (settings.auth === 'api-key' && !settings.headerValue.trim()) problems.headerValue = 'Enter the key.'
  if (Object.keys(problems).length > 0) return { problems }

  const config: ServerConfig = { url: new URL(typed, pageUrl).href }
  const auth = readAuth(settings)
  if (auth) config.auth = auth
  if (typeof maxResponseBytes === 'number') config.maxResponseBytes = maxResponseBytes
  return { config }
}

function readAuth(settings: Settings): AuthConfig | undefined {
  if (settings.auth === 'bearer') return { type: 'bearer', token: settings.token.trim() }
  if (settings.auth === 'api-key')
    return { type: 'api-key', header: settings.header.trim(), value: settings.headerValue.trim() }
  return undefined
}

const unitBytes: Record<string, number> = {
  '': 1,
  b: 1,
  kb: 1_000,
  mb: 1_000_000,
  gb: 1_000_000_000,
  kib: 1024,
  mib: 1024 ** 2,
  gib: 1024 ** 3,
}

/** Bytes from `1048576`, `1 MB` (a million) or `1 MiB`; `undefined` for an empty field. */
export function readBytes(text: string): number | undefined | 'invalid' {
  if (!text.trim()) return undefined
  const match = /^\s*(\d+(?:\.\d+)?)\s*([a-z]*)\s*$/i.exec(text)
  const unit = unitBytes[match?.[2]?.toLowerCase() ?? '?']
  if (!match || unit === undefined) return 'invalid'
  const bytes = Number(match[1]) * unit
  return Number.isSafeInteger(bytes) && bytes >= 1 ? bytes : 'invalid'
}
