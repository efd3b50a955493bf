/** `modern`: revision 2026-07-28, stateless. `legacy`: an earlier one, with a session. */
export type Era = 'modern' | 'legacy'

/** What the demo server did: its log, for a console or for a test. */
export type DemoEvent =
  | {
      type: 'request'
      era: Era
      httpMethod: string
      /** The JSON-RPC method; absent on GET, DELETE and posted responses. */
      method?: string
      /** The tool or prompt, where the message names one. */
      name?: string
      sessionId?: string
    }
  | { type: 'session'; sessionId: string; change: 'opened' }
  | { type: 'session'; sessionId: string; change: 'closed'; reason: SessionEnd }
  | { type: 'tool'; era: Era; tool: string; phase: 'started' | 'finished' | 'failed' | 'cancelled' | 'input-required' }
  | { type: 'refused'; status: number; reason: string }
  | { type: 'error'; era: Era; message: string }

/** `replaced`: the table was full and this session was idle for longest. */
export type SessionEnd = 'deleted' | 'idle' | 'replaced' | 'server-closed'

/** All of them have defaults that suit a demo on one person's machine. */
export interface DemoServerOptions {
  /** Milliseconds after which a legacy session without an open exchange is closed; >= 1. Default: 600 000. */
  sessionIdleMs?: number
  /** Most legacy sessions at one time; >= 1. Default: 64. */
  maxSessions?: number
  /** Called for each thing the server does. */
  onEvent?(event: DemoEvent): void
}
