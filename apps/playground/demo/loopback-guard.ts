import type { IncomingMessage } from 'node:http'

// Not more names than these: a public DNS name may point to 127.0.0.1, and then only the Host header tells (DNS rebinding).
export const LOOPBACK_HOSTS = new Set(['localhost', '127.0.0.1', '[::1]'])

/**
 * Why a request may not be served, or `undefined` if it may: the server must have been asked for under a loopback name, and
 * by no page but its own.
 */
export function refusalOf(request: IncomingMessage): string | undefined {
  const asked = parse(`http://${request.headers.host ?? ''}`)
  if (!asked || !LOOPBACK_HOSTS.has(asked.hostname)) {
    return `The demo server answers on localhost, 127.0.0.1 and [::1] only, not on "${request.headers.host ?? ''}".`
  }
  const { origin } = request.headers
  if (origin === undefined) return undefined
  const page = parse(origin)
  // `null` (an opaque origin) does not parse, and so is refused.
  if (!page || !['http:', 'https:'].includes(page.protocol) || page.host !== asked.host) {
    return `The demo server serves pages of its own origin (${asked.host}) only, not "${origin}".`
  }
  return undefined
}

function parse(url: string): URL | undefined {
  return URL.canParse(url) ? new URL(url) : undefined
}
