import type * as Comlink from 'comlink'

/**
 * The endpoint, with only calls of these methods let through. Comlink follows whatever path it is sent, and
 * `open.constructor` is `Function`: whoever holds the port could run code where the tokens are.
 */
export function ownCalls(endpoint: Comlink.Endpoint, methods: object): Comlink.Endpoint {
  const guards = new Map<unknown, EventListener>()
  return {
    postMessage: (message, transfer) => endpoint.postMessage(message, transfer),
    addEventListener(type, listener, options) {
      const guard = (event: Event) => {
        if (!isOwnCall((event as MessageEvent).data, methods)) return
        if (typeof listener === 'function') listener(event)
        else listener.handleEvent(event)
      }
      guards.set(listener, guard)
      endpoint.addEventListener(type, guard, options)
    },
    removeEventListener(type, listener, options) {
      endpoint.removeEventListener(type, guards.get(listener) ?? listener, options)
      guards.delete(listener)
    },
    start: () => endpoint.start?.(),
  }
}

function isOwnCall(data: unknown, methods: object): boolean {
  const { type, path } = (data ?? {}) as { type?: unknown; path?: unknown }
  // Its proxy was collected: comlink lets go of the port.
  if (type === 'RELEASE') return true
  return type === 'APPLY' && Array.isArray(path) && path.length === 1 && Object.hasOwn(methods, path[0])
}
