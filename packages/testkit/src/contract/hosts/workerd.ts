import { bundleRealm } from '../bundle-realm.js'
import type { CaseReply, CaseRequest } from '../realms/suite-worker.js'
import { startWorkerd } from '../start-workerd.js'
import type { ContractHost } from './contract-host.js'

/** Core and the suite in a Worker in real workerd, a request of its own for each case. */
export const workerd: ContractHost = {
  async start() {
    const worker = await startWorkerd(await bundleRealm('suite-worker', 'workerd'))
    return {
      async run(name, { controlUrl, ...target }) {
        const request: CaseRequest = { name, target, controlUrl }
        const response = await fetch(worker.url, { method: 'POST', body: JSON.stringify(request) })
        if (!response.ok) throw new Error(`the Worker answered ${response.status}: ${await response.text()}`)
        const { failure } = (await response.json()) as CaseReply
        if (failure) throw new Error(failure)
        worker.verify()
      },
      stop: worker.stop,
    }
  },
}
