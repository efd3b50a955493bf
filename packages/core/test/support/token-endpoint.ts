import type { AuthorizationServer } from '../../src/authorization/authorization-server.js'
import type { GuardedFetch } from '../../src/authorization/url-guard.js'

/** A token request as an authorization server sees it. */
export interface TokenRequest {
  url: string
  form: URLSearchParams
  headers: Headers
}

export interface TokenEndpoint {
  fetch: GuardedFetch
  /** Every request so far, in order. */
  requests: TokenRequest[]
}

export const issuer = 'https://as.example'

export const authorizationServer: AuthorizationServer = {
  issuer,
  metadata: { token_endpoint: `${issuer}/token`, revocation_endpoint: `${issuer}/revoke` },
}

/** An authorization server whose endpoints a function answers. */
export function tokenEndpoint(answer: (request: TokenRequest) => Response | Promise<Response>): TokenEndpoint {
  const requests: TokenRequest[] = []
  return {
    requests,
    async fetch(url, { headers, body, signal } = {}) {
      signal?.throwIfAborted()
      const request = { url, form: new URLSearchParams(String(body)), headers: new Headers(headers) }
      requests.push(request)
      const response = await answer(request)
      const { status, ok } = response
      return { url, status, ok, headers: response.headers, text: await response.text() }
    },
  }
}

/** A reply of JSON. */
export function json(body: unknown, init: ResponseInit = {}): Response {
  return new Response(JSON.stringify(body), {
    ...init,
    headers: { 'content-type': 'application/json', ...init.headers },
  })
}
