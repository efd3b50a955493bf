import type { ConnectionEvent, EventFilter } from '@x/core'
import type { Client } from './later.js'
import type { Step } from './step.js'

type EventOf<Type extends ConnectionEvent['type']> = Extract<ConnectionEvent, { type: Type }>

interface Collected<Type extends ConnectionEvent['type']> {
  events: EventOf<Type>[]
  /** Settles when one arrives that passes; those that arrived already count. */
  until(passes: (event: EventOf<Type>) => boolean): Promise<EventOf<Type>>
  stop(): void
}

/** Collects a connection's events of one type from now on. */
export function collect<Type extends ConnectionEvent['type']>(
  client: Client,
  type: Type,
  filter: EventFilter,
): Collected<Type> {
  const events: EventOf<Type>[] = []
  const waiting = new Set<() => void>()
  const stop = client.listen(filter, (event) => {
    if (event.type !== type) return
    events.push(event as EventOf<Type>)
    for (const look of waiting) look()
  })
  return {
    events,
    stop,
    until: (passes) =>
      new Promise((resolve) => {
        const look = () => {
          const found = events.find(passes)
          if (!found) return
          waiting.delete(look)
          resolve(found)
        }
        waiting.add(look)
        look()
      }),
  }
}

/** A tool that writes to the log while it runs: its messages arrive as events. */
export function hearsLog(tool: string, args: Parameters<Client['callTool']>[1], data: RegExp): Step {
  return {
    name: `hears the log of ${tool}`,
    async run({ client }) {
      const log = collect(client, 'log', { log: 'debug' })
      try {
        await client.callTool(tool, args)
        await log.until((event) => data.test(String(event.data)))
      } finally {
        log.stop()
      }
    },
  }
}
