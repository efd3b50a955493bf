// The page's side, in a thread of its own, with the endpoint's URL. The worker's side is at the other end of a MessagePort.
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { createHost } from '@x/web'

const { port1, port2 } = new MessageChannel()
const thread = new Worker(new URL('./worker-thread.mjs', import.meta.url), {
  workerData: { port: port2 },
  transferList: [port2],
})
const host = createHost({ worker: () => port1 })
const client = await host.connect(process.argv[2])
const tools = await client.listTools()
const { structuredContent } = await client.callTool('add', { a: 20, b: 22 })
const wrong = await client.callTool('add', { a: 'twenty', b: 22 })
const findings = wrong.findings.map(({ code }) => code)
await client.close()
thread.postMessage('what was evaluated?')
const [inWorker] = await once(thread, 'message')
console.log(
  JSON.stringify({
    tools: tools.length,
    structuredContent,
    findings,
    evaluated: [...globalThis.evaluated, ...inWorker],
  }),
)
await host.close()
await thread.terminate()
