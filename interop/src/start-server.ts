import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import type { ServerEntry } from './servers.js'

export interface StartedServer {
  /** `http://127.0.0.1:PORT`, without a path. */
  origin: string
  close(): Promise<void>
}

/**
 * Starts a server as a process of its own and waits until it listens.
 *
 * @param folder - Where the servers are installed.
 * @param logFile - Gets all that the server says.
 * @throws Error that names the log, where the server ends before it listens.
 */
export async function startServer(entry: ServerEntry, folder: string, logFile: string): Promise<StartedServer> {
  const log = openSync(logFile, 'w')
  const preload = pathToFileURL(path.join(folder, 'any-port.mjs')).href
  const child = spawn(process.execPath, ['--import', preload, entry.script, ...(entry.args ?? [])], {
    cwd: folder,
    stdio: ['ignore', log, log, 'ipc'],
  })
  closeSync(log)
  const gone = once(child, 'exit')
  const listening = once(child, 'message').then(([message]) => (message as { port: number }).port)
  const port = await Promise.race([listening, gone.then(() => undefined)])
  if (port === undefined) throw new Error(`${entry.name} ended before it listened: see ${logFile}`)
  return {
    origin: `http://127.0.0.1:${port}`,
    async close() {
      // At once: some of them wait for their open connections at a gentler signal.
      child.kill('SIGKILL')
      await gone
    },
  }
}
