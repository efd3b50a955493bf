import { callerHeader, credentials, noteHeader, realmHeader, timersHeader } from './fixtures.js'
import type { RequestHead } from './log.js'

/** What may be told of a request's head: never a credential itself. */
export function describeHead({ method, headers }: Pick<Request, 'method' | 'headers'>): RequestHead {
  const header = (name: string) => headers.get(name) || undefined
  const protocolVersion = header('mcp-protocol-version')
  const timers = header(timersHeader)
  const caller = header(callerHeader)
  const fields: { [Key in keyof RequestHead]: RequestHead[Key] | undefined } = {
    httpMethod: method,
    protocolVersion,
    era: protocolVersion === undefined ? undefined : protocolVersion >= '2026-07-28' ? 'modern' : 'legacy',
    sessionId: header('mcp-session-id'),
    realm: header(realmHeader),
    timersMs: timers?.split(',').map(Number),
    mcpMethod: header('mcp-method'),
    mcpName: header('mcp-name'),
    headerNote: header(noteHeader),
    credential: toCredential(header('authorization'), header(credentials.apiKeyHeader)),
    caller: caller === undefined ? undefined : (JSON.parse(caller) as RequestHead),
  }
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
}

function toCredential(authorization?: string, apiKey?: string): RequestHead['credential'] {
  if (!authorization && apiKey === credentials.apiKey) return 'api-key'
  if (!apiKey && authorization === `Bearer ${credentials.bearer}`) return 'bearer'
  return authorization || apiKey ? 'other' : undefined
}
