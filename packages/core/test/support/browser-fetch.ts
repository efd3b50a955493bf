/** What a server's CORS headers say. */
export interface CorsPolicy {
  /** Access-Control-Allow-Origin is there and fits; a list: on answers to these methods only. */
  origin?: boolean | string[]
  /** Access-Control-Allow-Headers, in lower case. */
  allowHeaders?: string[]
  /** Access-Control-Expose-Headers, in lower case. */
  exposeHeaders?: string[]
}

/**
 * A fetch that hides what a browser hides from a page of another origin, by the Fetch standard: an unreadable answer
 * is the same TypeError as a dead network, and without CORS all that is seen is that there is an answer.
 *
 * @see {@link https://fetch.spec.whatwg.org/#http-cors-protocol}
 */
export function browserFetch(
  server: typeof fetch,
  { origin = false, allowHeaders = [], exposeHeaders = [] }: CorsPolicy,
): typeof fetch {
  const blocked = () => new TypeError('Failed to fetch')
  return async (input, init = {}) => {
    const headers = new Headers(init.headers)
    if (init.mode === 'no-cors') {
      await server(input, init).catch(() => Promise.reject(blocked()))
      return as('opaque', new Response(null))
    }
    const unsafe = [...headers.keys()].filter((name) => !isSafelisted(name, headers.get(name) ?? ''))
    const method = init.method ?? 'GET'
    const allowed = Array.isArray(origin) ? origin.includes(method) : origin
    const preflight = unsafe.length > 0 || !['GET', 'HEAD', 'POST'].includes(method)
    if (preflight && !(allowed && unsafe.every((name) => allowHeaders.includes(name)))) throw blocked()
    const response = await server(input, init).catch((error) =>
      Promise.reject(init.signal?.aborted ? error : blocked()),
    )
    if (!allowed) throw blocked()
    if (response.status >= 300 && response.status < 400) return as('opaqueredirect', Response.error())
    const seen = new Response(response.body, response)
    for (const name of response.headers.keys())
      if (name !== 'content-type' && !exposeHeaders.includes(name)) seen.headers.delete(name)
    return as('cors', seen)
  }
}

function isSafelisted(name: string, value: string): boolean {
  if (name === 'content-type')
    return /^(text\/plain|multipart\/form-data|application\/x-www-form-urlencoded)/.test(value)
  return ['accept', 'accept-language', 'content-language'].includes(name)
}

function as(type: ResponseType, response: Response): Response {
  return Object.defineProperty(response, 'type', { value: type })
}
