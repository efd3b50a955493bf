import type { Runtime } from '@x/core'
import * as Comlink from 'comlink'
import { onTestFinished } from 'vitest'
import { type HostApi, hostProtocol } from '../src/host-protocol.js'
import { serve } from '../src/serve.js'

/** Ports to "workers" that are served in this very thread: the page's end, and the worker's. */
export interface ServedPorts {
  worker(): MessagePort
  readonly made: { page: MessagePort; worker: MessagePort }[]
}

/** Workers that serve connections with this `fetch`. */
export function servePorts(fetch: typeof globalThis.fetch, runtime: Partial<Runtime> = {}): ServedPorts {
  return createPorts((port) => serve({ port, runtime: { fetch, ...runtime } }))
}

/** Workers that answer what they are told to, and nothing else. */
export function fakePorts(api: Partial<HostApi>): ServedPorts {
  return createPorts((port) => Comlink.expose({ hello: async () => ({ protocol: hostProtocol }), ...api }, port))
}

/** Workers of any kind. */
export function createPorts(begin: (port: MessagePort) => void): ServedPorts {
  const made: ServedPorts['made'] = []
  onTestFinished(() => {
    for (const { page, worker } of made) {
      page.close()
      worker.close()
    }
  })
  return {
    made,
    worker() {
      const { port1, port2 } = new MessageChannel()
      made.push({ page: port1, worker: port2 })
      begin(port2)
      return port1
    },
  }
}

/** Resolves when all that the worker's end has posted so far is there. */
export function delivered({ made }: ServedPorts): Promise<void> {
  const { page, worker } = made[0]!
  return new Promise((resolve) => {
    page.addEventListener('message', ({ data }) => data === 'delivered' && resolve())
    worker.postMessage('delivered')
  })
}

export interface Posted {
  value?: { value?: { content?: { data?: Uint8Array }[] } }
}

/** What the worker's end posts from now on, to be looked at after it was posted. */
export function watchPosts({ made }: ServedPorts): Posted[] {
  const posted: Posted[] = []
  const { worker } = made[0]!
  const post = worker.postMessage.bind(worker)
  worker.postMessage = ((message: Posted, transfer: Transferable[]) => {
    post(message, transfer)
    posted.push(message)
  }) as typeof worker.postMessage
  return posted
}
