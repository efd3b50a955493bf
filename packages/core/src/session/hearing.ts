import type { ResolvedConfig } from '../config.js'
import type { ConnectionEvent } from '../connection.js'
import type { ServerInfo } from '../protocol.js'
import type { Wanted } from './events.js'
import type { Link } from './link.js'
import type { Links } from './links.js'
import type { ListKind } from './list-pages.js'
import { createListRefresh } from './list-refresh.js'
import { createLists, type Lists, type ListsOptions } from './lists.js'
import { toEvent } from './notifications.js'
import { createSubscriptions, type Subscriptions, type SubscriptionsOptions } from './subscriptions.js'

/** What a connection knows of its server's lists, and hears of what the server says by itself. */
export interface Hearing {
  lists: Lists
  subscriptions: Subscriptions
  /** The server has said something. */
  notified(notification: { method: string; params?: object | undefined }): void
  /** A server of an earlier revision is heard from now on. */
  heard(): void
  /** What those who listen want. */
  listened(wanted: Wanted): void
  renewed(link: Link): void
}

export interface HearingOptions
  extends Omit<ListsOptions, 'era' | 'meta' | 'heard'>,
    Pick<SubscriptionsOptions, 'invited' | 'wake'> {
  server: string
  config: ResolvedConfig
  links: Links
  emit(event: ConnectionEvent): void
}

export function createHearing(options: HearingOptions): Hearing {
  const { config, links, emit } = options
  let listensToLists = false
  const subscriptions = createSubscriptions({
    ...options,
    link: links.current,
    request: (method, params, signal) => links.run(signal, (link) => link.request(method, params, { signal }), true),
    onGap: () => refresh.recheck(),
    onNeed: (needed) => links.want(needed),
  })
  const lists = createLists({
    ...options,
    era: () => links.current.server.era,
    meta: config.meta ?? {},
    heard(kind) {
      const { transport, server } = links.current
      return tellsChanges(server, kind) ? transport.heard() : 0
    },
  })
  const refresh = createListRefresh({
    ...options,
    lists,
    capabilities: () => links.current.server.capabilities,
    isListened: () => listensToLists,
    callTimeoutMs: config.callTimeoutMs,
  })
  return {
    lists,
    subscriptions,
    heard: () => refresh.recheck(),
    notified({ method, params }) {
      if (method === 'notifications/subscriptions/acknowledged') return subscriptions.acknowledged(params)
      const event = toEvent({ method, params })
      if (event?.type === 'list-changed') refresh.changed(event.list)
      else if (event) emit(event)
    },
    listened(wanted) {
      listensToLists = wanted.lists
      subscriptions.listened(wanted)
    },
    renewed(link) {
      subscriptions.renewed(link)
      refresh.recheck()
    },
  }
}

/** Whether a server says that it tells of changes of these lists. One that doesn't is taken not to change them. */
function tellsChanges({ capabilities }: ServerInfo, kind: ListKind): boolean {
  const { listChanged } = (capabilities[kind] ?? {}) as { listChanged?: unknown }
  return listChanged === true
}
