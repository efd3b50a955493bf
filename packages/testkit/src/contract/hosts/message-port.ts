import { once } from 'node:events'
import { MessageChannel, Worker } from 'node:worker_threads'
import * as web from '@x/web'
import { toTools } from '@x/web/ai-sdk'
import { bundleRealm } from '../bundle-realm.js'
import { type ContractHost, runHere } from './contract-host.js'

/** Web in this thread, core behind a `MessagePort` in another. */
export const messagePort: ContractHost = {
  async start() {
    // Bundled, because a thread does not inherit what makes Node read TypeScript.
    // And run as text, since each line of a stack trace would repeat a data: URL whole.
    const worker = new Worker(await bundleRealm('thread-worker', 'thread'), { eval: true })
    // Rejects if the thread fails while it loads.
    await once(worker, 'message')
    const createHost = () => {
      const { port1, port2 } = new MessageChannel()
      worker.postMessage(port2, [port2])
      // Node's port does what a page's does, but TypeScript has no page's port here.
      return web.createHost({ worker: () => port1 as never })
    }
    return runHere({ api: { ...web, toTools }, realm: 'worker_threads', createHost }, () => worker.terminate())
  },
}
