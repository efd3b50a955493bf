// The worker's bundle as a browser would load it: in a scope that is itself the endpoint.
import { parentPort, workerData } from 'node:worker_threads'

const { port } = workerData
for (const member of ['postMessage', 'addEventListener', 'removeEventListener'])
  globalThis[member] = port[member].bind(port)
await import('@x/web/worker-bundled')
port.start()
parentPort.on('message', () => parentPort.postMessage(globalThis.evaluated))
