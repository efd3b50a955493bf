import type { TokenStore } from '../config.js'
import { type Challenges, isOfOAuth } from './challenge.js'
import type { AuthorizationTools } from './credentials.js'
import type { Discovered } from './discovery.js'
import { createDpop, type Dpop, demandsDpop, wantsNonce } from './dpop.js'
import { createTokenSource } from './token-source.js'
import type { Tokens } from './tokens.js'

export interface BoundTokensOptions {
  /** Under which the tokens are kept while no key is demanded. */
  key: string
  tools: Pick<AuthorizationTools, 'store' | 'now' | 'setTimer' | 'closing' | 'crypto'>
  renew(current: Tokens | undefined): Promise<Tokens>
  renewable?(current: Tokens | undefined): boolean
  /** Whether these tokens are those of this configuration. */
  usable(tokens: Tokens): boolean
}

/** The tokens of one connection and, where the server demands one, the key that they are bound to. */
export interface BoundTokens {
  /** Under which the tokens are kept now. */
  readonly key: string
  readonly dpop: Dpop | undefined
  /** @param refused - The access token that isn't given again. */
  get(refused?: string): Promise<Tokens | undefined>
  set(tokens: Tokens): Promise<void>
  clear(): Promise<Tokens | undefined>
  /** Whether a refusal demands a key, and there is none yet: tokens without one are of no use. */
  mustBind(challenges: Challenges): boolean
  /** Makes the key where one is demanded. */
  bind(discovered: Discovered): Promise<void>
  /** Whether a request was refused for want of a nonce alone, which is known now. */
  isNonceWanted(challenges: Challenges, headers: Headers): boolean
  /** The access token that went along with these headers. */
  sentIn(headers: Record<string, string>): string | undefined
  headers(tokens: Tokens, request?: { method: string; url: string }): Promise<Record<string, string>>
  observe(url: string, headers: Headers): void
}

/** By store and name, so that all connections of a host use one key: each may use the others' tokens. */
const dpopKeys = new WeakMap<TokenStore, Map<string, Dpop>>()

export function createBoundTokens(options: BoundTokensOptions): BoundTokens {
  const { tools, renew, renewable, usable } = options
  const keys = dpopKeys.get(tools.store) ?? new Map<string, Dpop>()
  dpopKeys.set(tools.store, keys)
  let { key } = options
  let dpop: Dpop | undefined
  let isDemanded = false
  let source = createSource()
  adopt(keys.get(options.key))

  function createSource() {
    return createTokenSource({
      ...tools,
      key,
      renew,
      ...(renewable && { renewable }),
      usable: (tokens) => tokens.keyThumbprint === dpop?.thumbprint && usable(tokens),
    })
  }

  function adopt(made: Dpop | undefined): void {
    if (!made || dpop) return
    dpop = made
    keys.set(options.key, made)
    // The key is this realm's alone: another's tokens under the same name would be of no use here.
    key = `${options.key} ${made.thumbprint}`
    source = createSource()
  }

  return {
    get key() {
      return key
    },
    get dpop() {
      return dpop
    },
    get: (refused) => source.get({ refused }),
    set: (tokens) => source.set(tokens),
    clear: () => source.clear(),
    mustBind(challenges) {
      isDemanded ||= challenges !== 'unknown' && demandsDpop({ challenges: challenges.filter(isOfOAuth) })
      if (isDemanded) adopt(keys.get(options.key))
      return isDemanded && !dpop
    },
    async bind({ dpopRequired, metadata }) {
      if (dpop || !(isDemanded || dpopRequired)) return
      const { now, crypto } = tools
      const made = await createDpop({ now, crypto, algorithms: metadata.dpop_signing_alg_values_supported })
      adopt(keys.get(options.key) ?? made)
    },
    isNonceWanted: (challenges, headers) =>
      dpop !== undefined && challenges !== 'unknown' && wantsNonce(challenges, headers),
    sentIn: ({ authorization = '' }) => /^(?:Bearer|DPoP) (.+)$/.exec(authorization)?.[1],
    async headers({ accessToken, tokenType }, request) {
      const authorization = `${tokenType} ${accessToken}`
      if (tokenType === 'Bearer' || !dpop || !request) return { authorization }
      return { authorization, dpop: await dpop.proof({ ...request, accessToken }) }
    },
    observe: (url, headers) => dpop?.observe(url, headers),
  }
}
