// How much memory a reply of 64 MB takes that is cut at 1 MiB: for each form of reply, the resident set of a process of
// its own, sampled every millisecond from outside, against what it had when idle.
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { setInterval } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { type Variant, variants } from './variants.js'

const settings = {
  replyBytes: 64 * 1024 * 1024,
  maxResponseBytes: 1024 * 1024,
  /** Small calls before idle is measured. */
  warmCalls: 20,
}
/** Bytes that the process may grow by, above idle. */
const limitBytes = 5_000_000
/** Equal samples in a row that count as idle. */
const settledSamples = 100
const file = (name: string) => fileURLToPath(new URL(name, import.meta.url))

if (!existsSync('/proc/self/status')) {
  console.error('npm run memory reads /proc, which only Linux has.')
  process.exit(1)
}

const server = fork(file('./server.ts'), { stdio: ['ignore', 'pipe', 'inherit', 'ipc'] })
const lines = createInterface(server.stdout!)
const [url] = (await once(lines, 'line')) as [string]
try {
  for (const variant of variants) {
    const { outcome, idle, peak } = await measure(variant)
    const good = peak - idle < limitBytes && outcome === 'ERR_MCP_TOO_LARGE'
    if (!good) process.exitCode = 1
    const growth = `${MB(peak - idle)} above idle (limit ${MB(limitBytes)}; ${MB(idle)} -> ${MB(peak)})`
    console.log(`${good ? 'ok    ' : 'FAILED'} ${variant.padEnd(8)} ${outcome}, ${growth}`)
  }
} finally {
  server.kill()
}

async function measure(variant: Variant): Promise<{ outcome: string; idle: number; peak: number }> {
  const client = fork(file('./client.mjs'), [`${url}/${variant}`, JSON.stringify(settings)], {
    execArgv: ['--expose-gc'],
  })
  try {
    await next(client)
    const idle = await settledBytes(client)
    let peak = idle
    let outcome = ''
    const ended = next(client).then((said) => {
      outcome = said
    })
    client.send('call')
    for await (const _ of setInterval(1)) {
      peak = Math.max(peak, residentBytes(client))
      if (outcome) break
    }
    await ended
    return { outcome, idle, peak }
  } finally {
    client.kill()
  }
}

async function next(client: ChildProcess): Promise<string> {
  const ended = once(client, 'exit').then(([code]) => {
    throw new Error(`the measured process ended with ${code}`)
  })
  const [said] = (await Promise.race([once(client, 'message'), ended])) as [string]
  ended.catch(() => {})
  return said
}

/** The resident set once it has stopped to change: freed memory goes back to the system in the background. */
async function settledBytes(client: ChildProcess): Promise<number> {
  let last = residentBytes(client)
  let unchanged = 0
  for await (const _ of setInterval(1)) {
    const now = residentBytes(client)
    unchanged = now === last ? unchanged + 1 : 0
    last = now
    if (unchanged === settledSamples) return now
  }
  return last
}

function residentBytes({ pid }: ChildProcess): number {
  const [, kibibytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))!
  return Number(kibibytes) * 1024
}

function MB(bytes: number): string {
  return `${(bytes / 1_000_000).toFixed(1)} MB`
}
