import type { ServerConfig } from '@x/core'
import type { GatewayErrorCode } from './refusal.js'

/** Who calls, as the app's `authenticate` says. */
export interface Caller {
  /** Never the same for two callers: sessions are bound to it. */
  id: string
  [more: string]: unknown
}

/** What a caller asks for. */
export interface GatewayCall {
  /** The server's name in `servers`. */
  server: string
  /** The JSON-RPC method; the HTTP method where a request carries none, as GET and DELETE. */
  method: string
  /** The tool's name on its server: of `tools/call`, and at `/mcp` of each tool of a list. */
  tool?: string
}

/** A fixed upstream: how it is reached, and with which credentials (`bearer` with `token`, or `api-key`). */
export interface Upstream extends ServerConfig {
  /** Instead of the global `fetch`, e.g. of a service binding: `(...args) => env.NOTES.fetch(...args)`. */
  fetch?: typeof fetch
}

/** What happened, for the app's log: no credential, and no body. */
export type GatewayEvent =
  /** A request was answered with an error of the gateway's own. */
  | { type: 'refused'; status: number; code: GatewayErrorCode; caller?: string; server?: string }
  /** The app's function, an upstream or the gateway failed; `error` is what was thrown. */
  | { type: 'failed'; in: 'authenticate' | 'authorize' | 'upstream' | 'gateway'; server?: string; error: unknown }

export interface GatewayOptions<E = unknown> {
  /** Where callers find the gateway, with the path that it is mounted at. No header of a request can change it. */
  publicUrl: string
  /** The upstreams by name; a name is letters, digits, `-` and `_`. Nothing else is ever reached. */
  servers: Record<string, Upstream>
  /**
   * Says who calls, by the request's headers; undefined is answered with 401. Its body belongs to the gateway. What it
   * throws is answered with 500 and told to `onEvent` only.
   */
  authenticate(request: Request, env: E): Promise<Caller | undefined> | Caller | undefined
  /** Whether the caller may. Default: whatever `tools.allow` and `tools.deny` of the server leave. */
  authorize?(caller: Caller, call: GatewayCall): Promise<boolean> | boolean
  /** Origins of the pages that may call, exact, e.g. `https://chat.example`. Empty: none. */
  origins: string[]
  /** Signs session ids; at least 32 characters, and the same in every instance. */
  secret: string
  /** What `/mcp` lists while an upstream is down. `open` (default): the others' tools. `closed`: an error. */
  onFailure?: 'open' | 'closed'
  limits?: {
    /** Bytes of a request's body. Default 4 194 304 (4 MiB). */
    maxRequestBytes?: number
    /** Milliseconds until an upstream's reply. Default: the server's `callTimeoutMs` (300 000). */
    callTimeoutMs?: number
    /** Milliseconds that a list waits for slow upstreams. Default 3 000. */
    settleMs?: number
  }
  /** Default: failures are written to the console. */
  onEvent?(event: GatewayEvent): void
}

/** Options that were checked, with their defaults in. */
export interface Gateway<E> extends GatewayOptions<E> {
  onFailure: 'open' | 'closed'
  limits: { maxRequestBytes: number; callTimeoutMs?: number; settleMs: number }
  report(event: GatewayEvent): void
}
