import type { AuthMethod } from './client-authentication.js'

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
