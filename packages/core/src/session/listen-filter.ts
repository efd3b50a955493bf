import type { JsonObject } from '../protocol.js'
import type { Wanted } from './events.js'
import { listKinds } from './list-pages.js'

/** What `subscriptions/listen` asks for, as names: a member of its filter, or `resource:` and a URI. */
export type ListenFilter = ReadonlySet<string>

const resource = 'resource:'
export const resourceName = (uri: string) => resource + uri

/** What is to be asked for: lists whose server says that it tells of their changes, and resources whatever it says. */
export function toFilter({ lists, resources }: Wanted, capabilities: JsonObject): Set<string> {
  const tells = (kind: string) => (capabilities[kind] as JsonObject | undefined)?.listChanged === true
  return new Set([
    ...(lists ? listKinds.filter(tells).map((kind) => `${kind}ListChanged`) : []),
    ...resources.map(resourceName),
  ])
}

export function toNotifications(filter: ListenFilter): JsonObject {
  const names = [...filter]
  const uris = names.flatMap((name) => (name.startsWith(resource) ? [name.slice(resource.length)] : []))
  return {
    ...Object.fromEntries(names.filter((name) => !name.startsWith(resource)).map((name) => [name, true])),
    ...(uris.length > 0 && { resourceSubscriptions: uris }),
  }
}

/** What of a filter a server has acknowledged. */
export function acknowledgedOf(filter: ListenFilter, notifications: JsonObject): ListenFilter {
  const { resourceSubscriptions: uris } = notifications
  return new Set(
    [...filter].filter((name) =>
      name.startsWith(resource)
        ? Array.isArray(uris) && uris.includes(name.slice(resource.length))
        : notifications[name] === true,
    ),
  )
}

/** As a person reads it. */
export const describeName = (name: string) => (name.startsWith(resource) ? name.slice(resource.length) : name)

export const isSame = (one: ListenFilter, other: ListenFilter) =>
  one.size === other.size && [...one].every((name) => other.has(name))
