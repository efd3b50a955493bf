import { createTokenSource, type TokenSourceOptions } from '../../src/authorization/token-source.js'
import { createMemoryTokenStore } from '../../src/authorization/token-store.js'
import type { Tokens } from '../../src/authorization/tokens.js'
import { AuthorizationError } from '../../src/errors.js'
import { createTimers } from './timers.js'

export const key = 'https://mcp.example/mcp'
export const hourMs = 3_600_000

export const tokens = (number: number, own: Partial<Tokens> = {}): Tokens => ({
  accessToken: `access-${number}`,
  refreshToken: `refresh-${number}`,
  tokenType: 'Bearer',
  obtainedAt: 0,
  expiresAt: hourMs,
  issuer: 'https://as.example',
  resource: key,
  clientId: 'client',
  ...own,
})

export const failure = (reason: string, data: object = {}) =>
  new AuthorizationError(`refused: ${reason}`, { data: { step: 'refresh', reason, ...data } })

export const unavailable = () => failure('http', { status: 503 })

/** A source over a store that holds tokens, at a time of its own. */
export async function setUp(own: Partial<TokenSourceOptions> & { stored?: Tokens | null; at?: number } = {}) {
  const { stored = tokens(1), at = 0, ...options } = own
  const timers = createTimers()
  const store = own.store ?? createMemoryTokenStore()
  if (stored) await store.set(key, { ...stored })
  timers.advance(at)
  const renewals: (Tokens | undefined)[] = []
  const renew = options.renew ?? (async () => tokens(2, { obtainedAt: timers.now(), expiresAt: timers.now() + hourMs }))
  const source = createTokenSource({
    key,
    now: timers.now,
    setTimer: timers.setTimer,
    ...options,
    store,
    renew(current) {
      renewals.push(current)
      return renew(current)
    },
  })
  /** Lets everything happen that needs no time. */
  const settle = () => new Promise(setImmediate)
  return { source, store, timers, renewals, settle }
}
