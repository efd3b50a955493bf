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
