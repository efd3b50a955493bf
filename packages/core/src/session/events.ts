import type { ConnectionEvent, EventFilter, Unsubscribe, WireEvent } from '../connection.js'
import { reportError } from '../errors.js'
import type { LogLevel } from '../protocol.js'

const logLevels: LogLevel[] = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency']

export const isLogLevel = (value: unknown): value is LogLevel => logLevels.includes(value as LogLevel)

/** What somebody wants to hear of what the server says by itself. */
export interface Wanted {
  lists: boolean
  resources: readonly string[]
  /** The most verbose level. */
  log?: LogLevel
}

/** The events of one connection and who wants which. */
export interface Events {
  emit(event: ConnectionEvent): void
  listen(filter: EventFilter, listener: (event: ConnectionEvent) => void): Unsubscribe
  /** Where to report what crosses the wire; undefined while nobody wants it, so that it costs nothing. */
  wire(): ((event: WireEvent) => void) | undefined
  /** Told, at once and at each change, what all who listen want of what the server says by itself. */
  onInterest(listener: (wanted: Wanted) => void): void
}

export function createEvents(): Events {
  const listeners = new Set<{ filter: EventFilter; listener: (event: ConnectionEvent) => void }>()
  let interest: Wanted = { lists: false, resources: [] }
  let tellInterest = (_wanted: Wanted) => {}
  const updateInterest = () => {
    const wanted = unite([...listeners].map(({ filter }) => filter))
    if (JSON.stringify(wanted) === JSON.stringify(interest)) return
    interest = wanted
    tellInterest(wanted)
  }

  function emit(event: ConnectionEvent): void {
    for (const entry of [...listeners]) {
      const { filter, listener } = entry
      const wanted = select(event, filter)
      // Gone, when one before it has ended its listening.
      if (!wanted || !listeners.has(entry)) continue
      try {
        listener(wanted)
      } catch (error) {
        // The app's own fault: it must see it, and nobody else may suffer from it.
        reportError(error)
      }
    }
  }

  return {
    emit,
    listen(filter, listener) {
      const entry = { filter, listener }
      listeners.add(entry)
      updateInterest()
      return () => {
        listeners.delete(entry)
        updateInterest()
      }
    },
    onInterest(listener) {
      tellInterest = listener
      listener(interest)
    },
    wire: () => ([...listeners].some(({ filter }) => filter.wire) ? emit : undefined),
  }
}

/** The event as this filter lets it through. Findings are never filtered out. */
function select(event: ConnectionEvent, filter: EventFilter): ConnectionEvent | undefined {
  switch (event.type) {
    case 'state':
    case 'session-renewed':
      return filter.state && event
    case 'list-changed':
      return filter.lists && event
    case 'resource-updated':
      return filter.resources?.some((wanted) => covers(wanted, event.uri)) ? event : undefined
    case 'log':
      return filter.log && logLevels.indexOf(event.level) >= logLevels.indexOf(filter.log) ? event : undefined
    case 'authorization':
      return filter.authorization && event
    case 'finding':
      return event
    case 'wire': {
      if (filter.wire === 'bodies') return event
      const { body: _, ...headers } = event
      return filter.wire && headers
    }
  }
}

function unite(filters: EventFilter[]): Wanted {
  const log = logLevels.find((level) => filters.some((filter) => filter.log === level))
  return {
    lists: filters.some(({ lists }) => lists),
    resources: [...new Set(filters.flatMap(({ resources = [] }) => resources))].sort(),
    ...(log && { log }),
  }
}

/** A server may tell of a part of what was subscribed to. */
const covers = (wanted: string, uri: string) =>
  uri === wanted || uri.startsWith(wanted.endsWith('/') ? wanted : `${wanted}/`)
