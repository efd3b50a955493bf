import type { ConnectionEvent, EventFilter, McpClient } from '@x/core'
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
  client: McpClient,
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

/** Times that something is done before its announcement must have come. */
const tries = 50

/**
 * Does something until it is heard of. Once may be too early: the stream on which servers announce opens beside the
 * calls, and what is announced before that is lost.
 */
export async function doUntilHeard<Event>(run: () => Promise<unknown>, heard: Promise<Event>): Promise<Event> {
  let over = false
  void heard.then(() => {
    over = true
  })
  for (let done = 0; !over && done < tries; done += 1) await run()
  return heard
}

/** A list that changed is seen without anybody listening: what is cached must not outlive what it shows. */
export function seesWithoutListening(
  change: (client: McpClient) => Promise<unknown>,
  sees: (client: McpClient) => Promise<boolean>,
): Step {
  return {
    name: 'lists what is new, though nobody listens',
    async run({ open }) {
      const client = await open()
      if (await sees(client)) throw new Error('it is there before')
      await change(client)
      // The announcement may take another way than the answer, and a little longer.
      for (let tried = 0; tried < tries; tried += 1) {
        if (await sees(client)) return
        await client.callTool('echo', { message: 'a', text: 'a' })
      }
      throw new Error('the list is still the old one')
    },
  }
}

/** A tool that writes to the log while it runs: its messages arrive as events. */
export function hearsLog(tool: string, args: Parameters<McpClient['callTool']>[1], data: RegExp): Step {
  return {
    name: `hears the log of ${tool}`,
    async run({ client }) {
      const log = collect(client, 'log', { log: 'debug' })
      const heard = log.until((event) => data.test(String(event.data)))
      try {
        await doUntilHeard(() => client.callTool(tool, args), heard)
      } finally {
        log.stop()
      }
    },
  }
}
