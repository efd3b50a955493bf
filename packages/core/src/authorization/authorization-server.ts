/** What the token requests need to know of an authorization server. */
export interface AuthorizationServer {
  /** As its metadata names it. */
  issuer: string
  metadata: {
    token_endpoint?: string | undefined
    token_endpoint_auth_methods_supported?: string[] | undefined
    token_endpoint_auth_signing_alg_values_supported?: string[] | undefined
    revocation_endpoint?: string | undefined
    revocation_endpoint_auth_methods_supported?: string[] | undefined
    dpop_signing_alg_values_supported?: string[] | undefined
  }
}

/** The fetch of all authorization requests: it refuses addresses, redirects and sizes that are not safe. */
export type GuardedFetch = (
  url: string,
  init?: {
    method?: 'GET' | 'POST'
    headers?: Record<string, string>
    body?: string | URLSearchParams
    signal?: AbortSignal
  },
) => Promise<GuardedResponse>

/** A response that was read to its end. */
export interface GuardedResponse {
  url: string
  status: number
  ok: boolean
  headers: Headers
  text: string
}
