import type { McpError } from '../errors.js'
import { createBackOff, isPassing } from './back-off.js'
import type { Carrier, CarrierOptions } from './carrier.js'
import type { Wanted } from './events.js'
import { explain } from './explain.js'
import { createVerdicts } from './verdicts.js'

interface Subscription {
  wanted: boolean
  /** Whether the server has it. */
  standing: boolean
  /** Whether a request about it is under way, or waits to be sent again. */
  busy: boolean
  refused?: McpError
}

/**
 * Earlier revisions: a server speaks by itself of its lists, is asked for each resource, and told one log level for all.
 *
 * @see {@link https://modelcontextprotocol.io/specification/2025-11-25/server/resources#subscriptions}
 */
export function createLegacyCarrier(options: CarrierOptions): Carrier {
  const { link, server, request, report, setTimer, wake } = options
  const ending = new AbortController()
  const { signal } = ending
  const subscriptions = new Map<string, Subscription>()
  const verdicts = createVerdicts()
  let level: Wanted['log']

  function setLevel(wanted: Wanted['log']): void {
    if (!wanted || wanted === level || !link.server.capabilities.logging) return
    level = wanted
    request('logging/setLevel', { level }, signal).catch((error) => {
      if (signal.aborted) return
      // The next change of the level asks again.
      if (level === wanted) level = undefined
      report({ code: 'log-level-refused', message: `The log level could not be set: ${(error as Error).message}` })
    })
  }

  /** Makes the server have what is wanted, one request at a time for each resource. */
  async function settle(uri: string, subscription: Subscription): Promise<void> {
    const backOff = createBackOff({ firstMs: 1_000, longestMs: 30_000, setTimer, wake })
    subscription.busy = true
    while (subscription.wanted !== subscription.standing && !subscription.refused) {
      const { wanted } = subscription
      try {
        await request(wanted ? 'resources/subscribe' : 'resources/unsubscribe', { uri }, signal)
        subscription.standing = wanted
        if (wanted) verdicts.settle(uri)
      } catch (error) {
        if (signal.aborted) return
        // A server that doesn't take it back, or forgot it: there is nothing more to do.
        if (!wanted) subscription.standing = false
        else {
          const failure = explain(error, { server, method: 'resources/subscribe' })
          report({ code: 'subscription-refused', message: `Updates of ${uri} are not heard: ${failure.message}` })
          if (!isPassing(failure)) subscription.refused = failure
          verdicts.settle(uri, failure)
          if (isPassing(failure)) await backOff.wait(signal, failure.data.retryAfterMs)
        }
      }
    }
    subscription.busy = false
    if (!subscription.wanted) subscriptions.delete(uri)
  }

  function subscribe(uri: string, wanted: boolean): void {
    const subscription = subscriptions.get(uri) ?? { wanted, standing: false, busy: false }
    subscriptions.set(uri, subscription)
    subscription.wanted = wanted
    // Rejects only at the end.
    if (!subscription.busy) settle(uri, subscription).catch(() => {})
  }

  return {
    want({ resources, log }) {
      if (signal.aborted) return
      setLevel(log)
      for (const uri of subscriptions.keys()) if (!resources.includes(uri)) subscribe(uri, false)
      for (const uri of resources) if (!subscriptions.get(uri)?.wanted) subscribe(uri, true)
    },
    async confirmed(uri) {
      const { standing, refused } = subscriptions.get(uri) ?? {}
      if (refused) throw refused
      if (!standing) await verdicts.wait(uri)
    },
    acknowledged() {},
    end(reason) {
      ending.abort(reason)
      verdicts.end(reason)
    },
  }
}
