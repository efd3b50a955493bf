import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { FaultyControl } from './faulty-control.js'
import type { FaultyServer } from './faulty-server.js'

/** The faulty server in a process of its own. The parent has to be run by what reads TypeScript, such as tsx. */
export async function forkFaultyServer(): Promise<FaultyServer> {
  const child = fork(fileURLToPath(new URL('./faulty-process.ts', import.meta.url)))
  const [{ url }] = (await once(child, 'message')) as [{ url: string }]
  const waiting = new Map<number, (value: unknown) => void>()
  let calls = 0
  child.on('message', ({ call, value }: { call: number; value: unknown }) => {
    waiting.get(call)?.(value)
    waiting.delete(call)
  })
  const ask = <Value>(name: keyof FaultyControl, ...args: unknown[]) =>
    new Promise<Value>((resolve, reject) => {
      const call = ++calls
      waiting.set(call, resolve as (value: unknown) => void)
      child.send({ call, name, args }, (error) => error && reject(error))
    })
  return {
    url,
    control: {
      begin: (scripts) => ask('begin', scripts),
      struck: (key) => ask('struck', key),
      release: (key) => ask('release', key),
      report: () => ask('report'),
    },
    async close() {
      child.disconnect()
      await once(child, 'exit')
    },
  }
}
