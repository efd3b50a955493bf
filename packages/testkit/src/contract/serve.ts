// The contract's server as a process of its own: prints one line of JSON, `{ "url", "deadUrl" }`, and serves until it
// is told to end. `PORT` fixes its port.
import { startContractServer } from './server.js'

const server = await startContractServer(Number(process.env.PORT ?? 0))
console.log(JSON.stringify({ url: server.url, deadUrl: server.deadUrl }))
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void server.close())
