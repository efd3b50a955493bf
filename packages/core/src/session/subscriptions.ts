import { untilAborted } from '../abort.js'
import type { LogLevel } from '../protocol.js'
import { connectionClosed } from '../transport/http-transport.js'
import type { Carrier, CarrierOptions } from './carrier.js'
import type { Wanted } from './events.js'
import { createLegacyCarrier } from './legacy-carrier.js'
import type { Link } from './link.js'
import { createListenCarrier } from './listen-carrier.js'

/** Who wants what of what the server says by itself, over all links: one subscription however many want it. */
export interface Subscriptions {
  /** What those who listen want. */
  listened(wanted: Wanted): void
  /**
   * Updates of a resource are wanted until {@link Subscriptions.unsubscribe}. Resolves when the server tells of them.
   *
   * @throws What the server refused it with: then nothing is wanted.
   */
  subscribe(uri: string, signal: AbortSignal): Promise<void>
  unsubscribe(uri: string): void
  /** The most verbose level that is wanted. */
  readonly log: LogLevel | undefined
  /** What a server has acknowledged. */
  acknowledged(params: object | undefined): void
  /** There is no link for now. */
  lost(): void
  /** There is another link, of which nothing is known yet. */
  renewed(link: Link): void
  close(): void
}

export interface SubscriptionsOptions extends CarrierOptions {
  /** Whether the server may ask something at any time, so that it is heard though nobody listens. */
  invited: boolean
  /** Whether anything is wanted that needs a link. */
  onNeed(needed: boolean): void
}

export function createSubscriptions(options: SubscriptionsOptions): Subscriptions {
  /** How often each resource was asked for by request. */
  const held = new Map<string, number>()
  let listening: Wanted = { lists: false, resources: [] }
  let { link } = options
  let carrier = carry(link)
  let isLost = false
  let closed = false

  function carry(link: Link): Carrier {
    const create = link.server.era === 'modern' ? createListenCarrier : createLegacyCarrier
    return create({ ...options, link })
  }

  function update(): void {
    if (closed) return
    const resources = [...new Set([...listening.resources, ...held.keys()])].sort()
    const needed = options.invited || listening.lists || listening.log !== undefined || resources.length > 0
    if (!isLost) link.transport.listenToServer(needed)
    carrier.want({ ...listening, resources })
    options.onNeed(needed)
  }

  function release(uri: string): void {
    const left = (held.get(uri) ?? 0) - 1
    if (left > 0) held.set(uri, left)
    else held.delete(uri)
    update()
  }

  return {
    listened(wanted) {
      listening = wanted
      update()
    },
    async subscribe(uri, signal) {
      held.set(uri, (held.get(uri) ?? 0) + 1)
      update()
      for (;;) {
        const asked = carrier
        try {
          return await untilAborted(signal, asked.confirmed(uri))
        } catch (error) {
          // By another link it is asked for already.
          if (asked !== carrier && !closed && !signal.aborted) continue
          release(uri)
          throw error
        }
      }
    },
    unsubscribe: release,
    get log() {
      return listening.log
    },
    acknowledged(params) {
      const { notifications } = (params ?? {}) as { notifications?: unknown }
      const isFilter = typeof notifications === 'object' && notifications !== null
      carrier.acknowledged((isFilter ? notifications : {}) as Parameters<Carrier['acknowledged']>[0])
    },
    lost() {
      isLost = true
    },
    renewed(renewed) {
      const before = carrier
      link = renewed
      isLost = false
      carrier = carry(link)
      before.end(connectionClosed())
      update()
    },
    close() {
      closed = true
      carrier.end(connectionClosed())
    },
  }
}
