import type { Era } from '@x/core'

/** One thing that the contract's server saw. Fields that don't apply are absent. */
export interface LogEntry {
  /**
   * `request`: an HTTP request to an MCP endpoint. `preflight`: a browser asking first. `call`: a tool began to run.
   * `aborted`: a running tool was told to stop. `cut`: the client left before the response was whole.
   */
  kind: 'request' | 'preflight' | 'call' | 'aborted' | 'cut'
  /** The endpoint's era, by its path. */
  endpoint: Era
  /** Of a request: the era of its `MCP-Protocol-Version`; absent where it has none, as `initialize` may. */
  era?: Era
  protocolVersion?: string
  httpMethod?: string
  /** JSON-RPC method. */
  method?: string
  /** The tool that a request or event is about. */
  tool?: string
  sessionId?: string
  /** Of a request: which known credential it carried; `other` for any else. */
  credential?: 'bearer' | 'api-key' | 'other'
  /** Of a request: the realm that sent it. */
  realm?: string
  /** Of a request: milliseconds of the timers that its realm asked for since the request before. */
  timersMs?: number[]
  /** Of a request: `Mcp-Method` and `Mcp-Name` as sent. */
  mcpMethod?: string
  mcpName?: string
  /** Of a request: its `X-Contract-Note` header, and `contract/note` of its `_meta`. */
  headerNote?: string
  metaNote?: string
  /** Of a request or a cut `flood`: bytes of the body. */
  bytes?: number
}

/** Fields that an entry must have, with these values. */
export type LogMatch = Partial<LogEntry>

/** Whether an entry has all of a match's fields. */
export function matches(entry: LogEntry, match: LogMatch): boolean {
  return Object.entries(match).every(([key, value]) => entry[key as keyof LogEntry] === value)
}

/** What a test may ask of the contract's server while it runs. */
export interface ContractControl {
  /** Everything seen since the start or the last reset, in order. */
  log(): Promise<LogEntry[]>
  reset(): Promise<void>
  /** Waits until at least `count` (default 1) entries match, and gives those. */
  waitFor(match: LogMatch, count?: number): Promise<LogEntry[]>
}
