import { delay, linkedSignal, untilAborted } from '../abort.js'
import { McpError, UnauthorizedError } from '../errors.js'
import { ownError } from './own-error.js'
import { endsGrant, isTransient } from './token-request.js'
import type { TokenStore } from './token-store.js'
import { readTokens, type Tokens } from './tokens.js'

export interface TokenSourceOptions {
  store: TokenStore
  /** Under which the tokens are kept and their renewal is exclusive: of one MCP server. */
  key: string
  /**
   * Gets new tokens. Called while the store's turn is held: it must not ask this source for anything.
   *
   * @param current - What there is; absent where there is nothing yet.
   */
  renew(current: Tokens | undefined): Promise<Tokens>
  /** Whether `renew` can do without a person. Default: whether there is a refresh token. */
  renewable?(current: Tokens | undefined): boolean
  /** Whether these tokens are this client's to use: of its server and, with DPoP, of its key. Default: yes. */
  usable?(tokens: Tokens): boolean
  /** Milliseconds since the epoch. */
  now(): number
  setTimer(ms: number, run: () => void): () => void
  /** Fires when the connection is closed: nothing is asked again. */
  closing?: AbortSignal
}

/** Gives tokens that are good now. */
export interface TokenSource {
  /**
   * Tokens that have not expired, renewed if they had, or were about to. One renewal for any number of callers, in all
   * tabs and processes that share the store.
   *
   * @param options.refused - The access token that the MCP server refused (401): it isn't given again.
   * @param options.signal - Ends the waiting of this caller alone.
   * @returns Undefined when somebody has to sign in.
   * @throws {AuthorizationError} `ERR_MCP_AUTHORIZATION`: the renewal failed. `data.reason` `invalid_grant` and
   *   `invalid_client` have ended the grant; after anything else it is kept.
   */
  get(options?: { refused?: string | undefined; signal?: AbortSignal | undefined }): Promise<Tokens | undefined>
  /** Keeps the tokens of a sign-in. */
  set(tokens: Tokens): Promise<void>
  /** Forgets the tokens, and gives them, so that they can be revoked. */
  clear(): Promise<Tokens | undefined>
}

/** How often one renewal is tried, and the milliseconds before the second time, doubled each time. */
const maxAttempts = 3
const firstWaitMs = 500
/** A server that asks for a longer wait is not waited for within a call. */
const maxWaitMs = 10_000
/** Milliseconds for which nothing is asked again after a renewal that failed; doubled each time, up to the maximum. */
const firstPauseMs = 5_000
const maxPauseMs = 300_000
/** Tokens are renewed this long before they expire, or a tenth of their life before, whichever is less. */
const maxSkewMs = 30_000

/** See {@link TokenSource}. */
export function createTokenSource(options: TokenSourceOptions): TokenSource {
  const { store, key, renew, now, setTimer } = options
  const { renewable = (current) => current?.refreshToken !== undefined, usable = () => true } = options
  const closing = options.closing ?? new AbortController().signal
  let underWay: Promise<Tokens | undefined> | undefined
  let waits: ReturnType<typeof linkedSignal> | undefined
  let failed: { error: McpError; times: number; until: number; grant: string | undefined } | undefined

  const readStored = async () => readTokens(await store.get(key))
  const read = async () => {
    const tokens = await readStored()
    return tokens && usable(tokens) ? tokens : undefined
  }
  /** The tokens, unless they were refused, or will be. */
  const goodUntil = (time: (tokens: Tokens) => number, tokens: Tokens | undefined, refused: string | undefined) =>
    tokens && tokens.accessToken !== refused && now() < time(tokens) ? tokens : undefined
  const valid = (tokens: Tokens | undefined, refused: string | undefined) => goodUntil(expiry, tokens, refused)
  const fresh = (tokens: Tokens | undefined, refused: string | undefined) => goodUntil(renewalTime, tokens, refused)

  /** Somebody else's newer tokens must survive the failure of the ones before them. */
  const deleteIfSame = async (tokens: Tokens) => {
    const stored = await readStored()
    const same = stored?.accessToken === tokens.accessToken && stored.refreshToken === tokens.refreshToken
    if (same) await store.delete(key)
  }

  const renewExclusively = (refused: string | undefined) =>
    store.exclusively(key, async (): Promise<Tokens | undefined> => {
      const current = await read()
      // Renewed by somebody else while this one waited for its turn.
      if (fresh(current, refused)) return current
      const fallback = valid(current, refused)
      if (!renewable(current)) {
        if (current && !fallback) await deleteIfSame(current)
        return fallback
      }
      const grant = current?.refreshToken
      if (failed?.grant !== grant) failed = undefined
      if (failed && now() < failed.until) {
        if (fallback) return fallback
        throw ownError(failed.error, { retryAfterMs: failed.until - now() })
      }
      waits = linkedSignal(closing)
      try {
        const renewed = await retrying(() => renew(current), waits.signal, setTimer)
        failed = undefined
        await store.set(key, { ...renewed })
        return renewed
      } catch (error) {
        const ended = endsGrant(error)
        if (McpError.is(error) && (isTransient(error) || error.code === 'ERR_MCP_AUTHORIZATION')) {
          const times = (failed?.times ?? 0) + 1
          const pauseMs = Math.max(error.data.retryAfterMs ?? 0, firstPauseMs * 2 ** (times - 1))
          failed = { error, times, until: now() + Math.min(pauseMs, maxPauseMs), grant: ended ? undefined : grant }
        }
        if (ended) {
          if (current) await deleteIfSame(current)
          // The turn may have been lost, as when a machine sleeps: what another has renewed meanwhile is good.
          const latest = fresh(await read(), refused)
          if (latest) return latest
        } else {
          const stillGood = valid(current, refused)
          if (stillGood) return stillGood
        }
        throw error
      } finally {
        waits.end()
      }
    })

  const renewOnce = (refused: string | undefined) => {
    underWay ??= renewExclusively(refused).finally(() => {
      underWay = undefined
    })
    return underWay
  }

  return {
    async get({ refused, signal } = {}) {
      signal?.throwIfAborted()
      const current = await untilAborted(signal, read())
      if (fresh(current, refused)) return current
      if (!current && !renewable(current)) return undefined
      try {
        const joined = underWay !== undefined
        // Never aborted: the server may have taken the refresh token already, and the answer holds the only other one.
        const renewed = await untilAborted(signal, renewOnce(refused))
        if (renewed?.accessToken !== refused) return renewed
        // It was under way for the sake of an older token, and gave the one that was refused since.
        const again = joined ? await untilAborted(signal, renewOnce(refused)) : undefined
        return again?.accessToken === refused ? undefined : again
      } catch (error) {
        // Its own for each caller, who will fill in the call that it failed for.
        throw ownError(error)
      }
    },
    async set(tokens) {
      await store.exclusively(key, () => store.set(key, { ...tokens }))
    },
    async clear() {
      // A server that is away must not keep anybody signed in.
      waits?.abort(new UnauthorizedError('The tokens were forgotten while they were renewed; sign in again'))
      return store.exclusively(key, async () => {
        const tokens = await readStored()
        await store.delete(key)
        return tokens
      })
    },
  }
}

function expiry({ expiresAt = Number.POSITIVE_INFINITY }: Tokens): number {
  return expiresAt
}

/** When tokens are due, in milliseconds since the epoch. */
function renewalTime({ obtainedAt, expiresAt }: Tokens): number {
  if (expiresAt === undefined) return Number.POSITIVE_INFINITY
  // A fixed margin would have a token that lives for seconds renewed at each call.
  return expiresAt - Math.min(maxSkewMs, (expiresAt - obtainedAt) / 10)
}

async function retrying(
  attempt: () => Promise<Tokens>,
  waiting: AbortSignal,
  setTimer: TokenSourceOptions['setTimer'],
): Promise<Tokens> {
  for (let attempts = 1; ; attempts++) {
    try {
      return await attempt()
    } catch (error) {
      if (!isTransient(error) || attempts === maxAttempts) throw error
      const spread = 0.5 + Math.random() / 2
      const waitMs = (error as McpError).data.retryAfterMs ?? firstWaitMs * 2 ** (attempts - 1) * spread
      if (waitMs > maxWaitMs) throw error
      await delay(waitMs, waiting, setTimer)
    }
  }
}
