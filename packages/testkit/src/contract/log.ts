import type { Era, LogLevel } from '@x/core'
import type { ForgottenAnswer } from './fixtures.js'

/** What a request's head tells. Fields that it lacks are absent. */
export interface RequestHead {
  httpMethod?: string
  protocolVersion?: string
  /** The era of that version. */
  era?: Era
  sessionId?: string
  /** Which known credential it carried; `other` for any else. Never the credential itself. */
  credential?: 'bearer' | 'api-key' | 'other'
  /** The realm that sent it. */
  realm?: string
  /** Milliseconds of the timers that its realm asked for since the request before. */
  timersMs?: number[]
  /** `Mcp-Method` and `Mcp-Name` as sent. */
  mcpMethod?: string
  mcpName?: string
  /** Its `X-Contract-Note`. */
  headerNote?: string
  /** Of a request that a gateway sent: the head of the one that it was sent, in its own words. */
  caller?: RequestHead
}

/** One thing that the contract's server saw. Fields that don't apply are absent. */
export interface LogEntry extends RequestHead {
  /**
   * `request`: an HTTP request to an MCP endpoint. `preflight`: a browser asking first. `call`: a tool began to run.
   * `answered`: it has its client's answers. `aborted`: it was told to stop. `cut`: the client left before the response
   * was whole. `listening`: a stream of the server's own is open, from now on what it announces gets there.
   */
  kind: 'request' | 'preflight' | 'call' | 'answered' | 'aborted' | 'cut' | 'listening'
  /** The endpoint's era, by its path. */
  endpoint: Era
  /** JSON-RPC method. */
  method?: string
  /** The tool that a request or event is about. */
  tool?: string
  /** The call asks for a task, as the earlier revisions have it. */
  asTask?: true
  /** JSON-RPC id of a request. */
  id?: string | number
  /** Of a request: `contract/note` and `traceparent` of its `_meta`. */
  metaNote?: string
  traceparent?: string
  /** The level that `logging/setLevel`, or the request's own `_meta`, sets. */
  logLevel?: LogLevel
  /** What the client says that it can do, with `initialize` or with this request. */
  capabilities?: Record<string, unknown>
  /** The resource that a request is about; of `subscriptions/listen` all of them, sorted, with blanks between. */
  uri?: string
  /** Of a request or a cut `flood`: bytes of the body. */
  bytes?: number
}

/** Fields that an entry must have, with these values. */
export type LogMatch = Partial<LogEntry>

/** Whether an entry has all of a match's fields. */
export function matches(entry: LogEntry, match: LogMatch): boolean {
  return Object.entries(match).every(([key, value]) => entry[key as keyof LogEntry] === value)
}

/** What a test may have the server do. */
export type ContractAction =
  /** Adds an item, `added`, to the end of a list, and announces that. */
  | { do: 'change-list'; list: 'tools' | 'resources' | 'prompts' }
  /** Announces an update, to those who subscribed to it. */
  | { do: 'update-resource'; uri: string }
  /** The user has been where the tool `visit` sent them; announced in the earlier era. */
  | { do: 'complete-visit' }
  /** Lets everything go that waits in a tool of this name. */
  | { do: 'release'; tool: string }
  /** Forgets every session, and answers so from now on to who still has one. Ends their streams. */
  | { do: 'forget-sessions'; answer: ForgottenAnswer }
  /** Ends the streams of its own: as it is done in each era, or as when a connection breaks. */
  | { do: 'end-streams'; how: 'graceful' | 'cut' }

/** What a test may ask of the contract's server while it runs. */
export interface ContractControl {
  /** Everything seen since the start or the last reset, in order. */
  log(): Promise<LogEntry[]>
  reset(): Promise<void>
  /** Waits until at least `count` (default 1) entries match, and gives those. */
  waitFor(match: LogMatch, count?: number): Promise<LogEntry[]>
  act(action: ContractAction): Promise<void>
}
