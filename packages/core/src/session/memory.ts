import { untilAborted } from '../abort.js'
import { type KeyValueStore, protocolVersions, type ResolvedConfig } from '../config.js'
import type { Json, JsonObject, ProtocolVersion } from '../protocol.js'
import type { Endpoint } from '../transport/endpoint.js'
import type { Identity } from './negotiate.js'
import { modernVersion, versionsOf } from './revisions.js'

/** How a server was reached the last time. */
export type Known =
  | { era: 'modern'; discover: JsonObject }
  | { era: 'legacy'; transport: 'streamable-http' | 'sse'; offer?: ProtocolVersion }

/** What is known of one server from earlier connections with the same credentials. */
export interface Memory {
  /** Never rejects, but with the signal's reason. */
  recall(signal: AbortSignal): Promise<Known | undefined>
  remember(known: Known): void
  /** Forgets it, also where the store can't: what is remembered has proved wrong. */
  forget(): void
}

export interface MemoryOptions {
  store: KeyValueStore | undefined
  endpoint: Pick<Endpoint, 'url' | 'headers' | 'now' | 'setTimer'>
  config: ResolvedConfig
  identity: Identity
}

/** Milliseconds after which a server is asked anew: else one that has learned another revision would never be noticed. */
const maxAgeMs = 24 * 60 * 60 * 1_000
/** Milliseconds that a store has to answer: asking the server takes no longer. */
const storeMs = 1_000
/** Characters, as JSON, of what is kept for one server, which decides its length. */
const maxLength = 64 * 1024

/**
 * Remembers in a store of the app's how a server was reached: under a digest of its URL, the credentials, and what else
 * decides the answer, so that the store holds no credential, and nobody is shown what was said to somebody else. Nothing
 * is remembered where there is no WebCrypto (a page without TLS), and whatever the store does wrong goes unnoticed.
 *
 * @see {@link https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/caching}
 */
export function createMemory({ store, endpoint, config, identity }: MemoryOptions): Memory {
  const { now, setTimer } = endpoint
  let isForgotten = false

  async function key(): Promise<string> {
    const headers = Object.entries(await endpoint.headers()).sort(([one], [other]) => (one < other ? -1 : 1))
    const { transport, protocolVersion, credentials } = config
    const digest = await crypto.subtle.digest(
      'SHA-256',
      new TextEncoder().encode(
        JSON.stringify([endpoint.url, headers, transport, protocolVersion, credentials, identity.capabilities]),
      ),
    )
    return `x/server/${Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('')}`
  }

  async function read(): Promise<Known | undefined> {
    const kept = await store?.get(await key())
    return kept === undefined ? undefined : toKnown(kept, now())
  }

  /** Milliseconds for which it may be used. */
  function ageMs(known: Known): number {
    if (known.era === 'legacy') return maxAgeMs
    const { ttlMs, cacheScope } = known.discover
    // A cookie says whose answer it is, and is no part of the key.
    if (cacheScope !== 'public' && (config.credentials ?? 'omit') !== 'omit') return 0
    return typeof ttlMs === 'number' ? Math.min(ttlMs, maxAgeMs) : 0
  }

  async function write(known: Known): Promise<void> {
    const lastsMs = ageMs(known)
    if (!store || !(lastsMs > 0) || JSON.stringify(known).length > maxLength) return
    const at = now()
    await store.set(await key(), { ...known, at, until: at + lastsMs } as unknown as Json)
  }

  return {
    async recall(signal) {
      if (!store || isForgotten) return undefined
      let cancelTimer = () => {}
      const late = new Promise<undefined>((resolve) => {
        cancelTimer = setTimer(storeMs, () => resolve(undefined))
      })
      try {
        return await untilAborted(signal, Promise.race([read().catch(() => undefined), late]))
      } finally {
        cancelTimer()
      }
    },
    remember(known) {
      write(known).catch(() => {})
    },
    forget() {
      // From now on this connection knows better, whatever the store does.
      isForgotten = true
      const erase = async () => store?.delete(await key())
      erase().catch(() => {})
    },
  }
}

/** What was kept, if it is what this package keeps, and may still be used. */
function toKnown(kept: Json, now: number): Known | undefined {
  const { era, at, until, discover, transport, offer } = (isObject(kept) ? kept : {}) as JsonObject
  // A clock that was set back must not make it last.
  if (typeof at !== 'number' || typeof until !== 'number' || !(at <= now && now < until && until <= at + maxAgeMs))
    return undefined
  if (era === 'modern') {
    const isUsable = isObject(discover) && versionsOf(discover, 'supportedVersions').includes(modernVersion)
    return isUsable ? { era, discover } : undefined
  }
  if (era !== 'legacy' || (transport !== 'streamable-http' && transport !== 'sse')) return undefined
  const isOffer = offer !== modernVersion && protocolVersions.includes(offer as ProtocolVersion)
  return { era, transport, ...(isOffer && { offer: offer as ProtocolVersion }) }
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
