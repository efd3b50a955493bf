/** What a test may change while the server runs. */
export interface Settings {
  /** Seconds that access tokens live. */
  accessTtlSeconds: number
  /** Seconds that the token endpoint says they live; default: the truth. */
  toldTtlSeconds?: number
  /** Every refresh gives another refresh token; to use the old one again ends the grant. */
  rotate: boolean
  /** The error with which the token endpoint answers its next request. */
  failNextToken?: 'temporarily_unavailable' | 'invalid_grant' | undefined
}

/** A request that was answered, as evidence. Nothing secret is in it. */
export interface LogEntry {
  party: 'authorization-server' | 'mcp-server'
  /** Of the authorization server, the endpoint's name; of the MCP server, the JSON-RPC method. */
  what: string
  httpMethod: string
  status: number
  /** Parameters that are no secret, and what came of the request. */
  details: Record<string, string>
}

export const secretKinds = [
  'access_token',
  'refresh_token',
  'code',
  'code_verifier',
  'state',
  'client_secret',
  'client_assertion',
  'registration_access_token',
] as const
export type SecretKind = (typeof secretKinds)[number]

/** A secret that the authorization server gave out or was sent. */
export interface Secret {
  kind: SecretKind
  value: string
}

/** All that a test may ask and change, at the authorization server's `/control`. */
export interface Control {
  settings: Settings
  log: LogEntry[]
  secrets: Secret[]
  /** Every URL that the servers were asked for, whole: with its path and query. */
  urls: string[]
}

export interface ControlChange {
  settings?: Partial<Settings>
  /** Moves the clock of both servers, by seconds. */
  clockAheadSeconds?: number
}

export interface Recorder extends Control {
  note(entry: LogEntry): void
  /** Of what was sent or answered, remembers what is secret, and gives the rest. */
  takeSecrets(members: Readonly<Record<string, unknown>>): Record<string, string>
}

export function createRecorder(): Recorder {
  const seen = new Set<string>()
  const recorder: Recorder = {
    settings: { accessTtlSeconds: 3600, rotate: true },
    log: [],
    secrets: [],
    urls: [],
    note(entry) {
      recorder.log.push(entry)
    },
    takeSecrets(members) {
      const open = Object.entries(members).filter((member): member is [string, string] => {
        const [name, value] = member
        if (typeof value !== 'string') return false
        const kind = secretKinds.find((one) => one === name)
        if (kind && !seen.has(value)) recorder.secrets.push({ kind, value })
        if (kind) seen.add(value)
        return !kind
      })
      return Object.fromEntries(open)
    },
  }
  return recorder
}
