/**
 * The milliseconds that a server asks a client to wait, from `Retry-After`: seconds or an HTTP date. Undefined when it
 * is absent, hidden by CORS, or neither.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc9110#section-10.2.3}
 */
export function retryAfterMs(headers: Headers, now: number): number | undefined {
  const value = headers.get('retry-after')?.trim() ?? ''
  if (/^\d+$/.test(value)) return Math.min(Number(value) * 1_000, Number.MAX_SAFE_INTEGER)
  const date = /[a-z]/i.test(value) ? Date.parse(value) : Number.NaN
  return Number.isNaN(date) ? undefined : Math.max(0, date - now)
}
