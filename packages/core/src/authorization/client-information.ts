/** How a client proves who it is at the token endpoint. */
export type AuthMethod = 'none' | 'client_secret_basic' | 'client_secret_post' | 'private_key_jwt'

/** What an authorization server knows this client by. It is that server's alone, but for a metadata document. */
export interface ClientInformation {
  clientId: string
  clientSecret?: string
  authMethod: AuthMethod
  source: 'configured' | 'metadata-document' | 'dynamic'
  redirectUrl: string
  /** Of the authorization server. */
  issuer: string
  /** When the secret ends, in milliseconds since the epoch. */
  expiresAt?: number
}
