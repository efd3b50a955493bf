// 12,000 calls with reconnects between: does the client keep anything? See ../README.md.
import { setTimeout as pause } from 'node:timers/promises'
import { connect, type ProtocolVersion } from '@x/core'
import { forkFaultyServer } from '@x/testkit/faulty'
import { makeCall, stalled } from './calls.js'
import { heapBytes } from './heap.js'

const calls = 12_000
const callsPerConnection = 100
/** From here on the heap must not grow. */
const settledAfter = 2_000
const limitBytes = 2_000_000
/** Calls at one time: more than Node's limit of listeners on one signal. */
const parallel = 20

const problems: string[] = []
let warnings = 0
process.on('warning', (warning) => {
  warnings++
  problems.push(`warning: ${warning.message}`)
})
process.on('unhandledRejection', (error) => problems.push(`unhandled rejection: ${error}`))

const before = process.getActiveResourcesInfo()
const server = await forkFaultyServer()
await server.control.begin(stalled)
// Their faults need not wait for anybody.
for (const key of Object.keys(stalled)) void server.control.release(key)

let settledBytes = 0
const signal = new AbortController().signal
const began = performance.now()
for (let done = 0; done < calls; done += callsPerConnection) {
  if (done === settledAfter) settledBytes = await heapBytes()
  const [era, protocolVersion] = (done / callsPerConnection) % 2 === 0 ? modern() : legacy()
  const client = await connect({ url: `${server.url}/${era}/mcp`, protocolVersion })
  for (let first = done; first < done + callsPerConnection; first += parallel) {
    const numbers = Array.from({ length: parallel }, (_, index) => first + index)
    const outcomes = await Promise.allSettled(numbers.map((number) => makeCall(client, number, signal)))
    for (const outcome of outcomes) if (outcome.status === 'rejected') problems.push(String(outcome.reason))
  }
  await client.close()
  if ((done + callsPerConnection) % 2_000 === 0) {
    const seconds = ((performance.now() - began) / 1000).toFixed(1)
    console.log(`${done + callsPerConnection} calls in ${seconds} s, heap ${MB(await heapBytes())}`)
  }
}
const growth = (await heapBytes()) - settledBytes
const { open } = await server.control.report()
if (open > 0) problems.push(`${open} exchanges are still open on the server`)
await server.close()
const left = await remaining(before)
if (left.length > 0) problems.push(`open handles: ${left.join(', ')}`)
if (growth >= limitBytes) problems.push(`the heap grew by ${MB(growth)}; the limit is ${MB(limitBytes)}`)

for (const problem of problems.slice(0, 10)) console.log(problem)
if (problems.length > 10) console.log(`… and ${problems.length - 10} more`)
console.log(`${calls} calls, ${growth < 0 ? '-' : '+'}${MB(Math.abs(growth))}, ${warnings} warnings`)
process.exitCode = problems.length > 0 ? 1 : 0

function modern(): ['modern', ProtocolVersion] {
  return ['modern', '2026-07-28']
}

function legacy(): ['legacy', ProtocolVersion] {
  return ['legacy', '2025-11-25']
}

/** What still keeps this process alive and did not before: handles take some turns of the event loop to go. */
async function remaining(before: string[]): Promise<string[]> {
  for (let looks = 0; ; looks++) {
    const left = process.getActiveResourcesInfo().filter((name) => !before.includes(name))
    if (left.length === 0 || looks === 40) return left
    await pause(25)
  }
}

function MB(bytes: number): string {
  return `${(bytes / 1_000_000).toFixed(1)} MB`
}
