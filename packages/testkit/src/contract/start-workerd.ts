import type { Readable } from 'node:stream'
import { Miniflare } from 'miniflare'

export interface RunningWorkerd {
  /** Without a slash at its end. */
  url: string
  /** @throws What workerd has written since the last time, but for its remarks on peers that left. */
  verify(): void
  /** @throws As `verify`. */
  stop(): Promise<void>
}

/** Runs a script, one module, in workerd: without Node's built-ins, and reached by a socket of its own. */
export async function startWorkerd(script: string, compatibilityFlags: string[] = []): Promise<RunningWorkerd> {
  let output = ''
  const worker = new Miniflare({
    name: 'contract',
    modules: true,
    script,
    compatibilityDate: '2026-04-20',
    compatibilityFlags,
    // No proxy in between, which would mend what goes through it.
    unsafeDirectSockets: [{ host: '127.0.0.1', port: 0 }],
    cf: false,
    telemetry: { enabled: false },
    handleRuntimeStdio(stdout: Readable, stderr: Readable) {
      for (const stream of [stdout, stderr]) stream.on('data', (chunk: Buffer) => (output += chunk))
    },
  })
  await worker.ready
  const verify = () => {
    const complaints = output.split('\n').filter((line) => !/^$|: disconnected: |^stack: /.test(line))
    output = ''
    if (complaints.length > 0) throw new Error(`workerd says: ${complaints.join('\n')}`)
  }
  return {
    url: (await worker.unsafeGetDirectURL('contract')).href.replace(/\/$/, ''),
    verify,
    async stop() {
      await worker.dispose()
      verify()
    },
  }
}
