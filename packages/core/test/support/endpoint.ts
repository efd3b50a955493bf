import type { WireEvent } from '../../src/connection.js'
import type { Endpoint } from '../../src/transport/endpoint.js'
import { type ScriptedFetch, type Sent, scriptedFetch } from './scripted-fetch.js'
import { createTimers, type Timers } from './timers.js'

export interface TestEndpoint extends Endpoint, Pick<ScriptedFetch, 'sent'> {
  timers: Timers
  events: WireEvent[]
}

/** An endpoint without a network: its requests are answered by a function, its time stands still. */
export function testEndpoint(
  answer: (sent: Sent) => Response | Promise<Response>,
  overrides: Partial<Endpoint> = {},
): TestEndpoint {
  const timers = createTimers()
  const events: WireEvent[] = []
  return {
    url: 'https://server.example/mcp',
    ...scriptedFetch(answer),
    now: () => 1_700_000_000_000,
    setTimer: timers.setTimer,
    credentials: 'omit',
    maxResponseBytes: 1_000_000,
    headers: async () => ({}),
    wire: () => (event) => events.push(event),
    timers,
    events,
    ...overrides,
  }
}
