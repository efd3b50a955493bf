import type { ConnectOptions, TokenStore } from '../config.js'
import type { AuthorizationEvent } from '../connection.js'
import type { McpError } from '../errors.js'
import type { Finding } from '../protocol.js'

/** Gives the credential headers of each request to one MCP server. */
export interface Authorization {
  /** @param request - What they are for, where that is known: proofs are made for one request. */
  headers(request?: { method: string; url: string }): Promise<Record<string, string>>
  /**
   * Asks for other credentials after these were refused; absent where there are none to ask for.
   *
   * @param response - The refusal.
   * @returns Whether there are others now, also when somebody else has asked for them meanwhile.
   */
  renew?(refused: Record<string, string>, response: Pick<Response, 'status' | 'headers'>): Promise<boolean>
  /** Hears that these were refused (401) which were asked for a moment ago: whatever they say, they are no good. */
  refused?(refused: Record<string, string>): void
  /** Sees the headers of each response. */
  observe?(url: string, headers: Headers): void
  /**
   * Signs in, whatever has failed before; absent where there is no signing in. A hook that opens something is called
   * before this returns.
   */
  authorize?(signal: AbortSignal | undefined): Promise<void>
  /** The tokens were forgotten, by whoever keeps them: nothing of them is used any more. */
  forget?(): void
}

export type AuthorizationHooks = Pick<ConnectOptions, 'token' | 'authorize' | 'assertion' | 'signIn'>

/** What authorization needs of where it runs. */
export interface AuthorizationTools {
  fetch: typeof fetch
  store: TokenStore
  /** Milliseconds since the epoch. */
  now(): number
  setTimer(ms: number, run: () => void): () => void
  /** Runs something whose time counts against no deadline. */
  uncounted<Value>(run: () => Promise<Value>): Promise<Value>
  /** Fires when the connection is closed. */
  closing: AbortSignal
  crypto?: Crypto | undefined
  emit(event: AuthorizationEvent): void
  report(finding: Finding): void
  /** Nothing more can be done before `authorize()` is called. */
  onSignInNeeded(error: McpError): void
}
