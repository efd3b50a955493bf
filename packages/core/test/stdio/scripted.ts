import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import type { ConnectOptions } from '../../src/config.js'
import type { ConnectionEvent } from '../../src/connection.js'
import type { LocalServer } from '../../src/stdio/local-server.js'
import { connect } from '../../src/stdio.js'

const script = fileURLToPath(new URL('fixtures/scripted-server.mjs', import.meta.url))

/** The scripted server, with this behaviour. */
export function scripted(behaviour = 'good', more: Partial<LocalServer> = {}): LocalServer {
  return { command: process.execPath, args: [script, behaviour], name: 'scripted', ...more }
}

/** A client of it that is closed when the test ends, and all its events. */
export async function open(behaviour?: string, more: Partial<LocalServer> = {}, options: ConnectOptions = {}) {
  const events: ConnectionEvent[] = []
  const client = await connect(scripted(behaviour, more), {
    ...options,
    onEvent(event) {
      events.push(event)
      options.onEvent?.(event)
    },
  })
  onTestFinished(() => client.close())
  return { client, events, pid: () => textOf(client.callTool('pid')).then(Number) }
}

export async function textOf(result: Promise<{ content: { type: string }[] }>): Promise<string> {
  const [block] = (await result).content
  return (block as { text?: string } | undefined)?.text ?? ''
}

/** A file in which a server notes what it does. */
export function createRecord() {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'stdio-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const file = path.join(folder, 'record')
  return {
    env: { RECORD: file },
    lines(): string[] {
      try {
        return readFileSync(file, 'utf8').trim().split('\n')
      } catch {
        return []
      }
    },
  }
}

/** Whether a process is there; one that has ended and is only not yet forgotten by the system is not. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
  } catch {
    return false
  }
  try {
    return !/^\d+ \(.*\) [ZX]/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    // No such file system, where zombies do not stay either.
    return process.platform !== 'linux'
  }
}
