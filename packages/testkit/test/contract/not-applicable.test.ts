// An exception that is none any more hides a case that could run.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { RunningHost } from '../../src/contract/hosts/contract-host.js'
import { inProcess } from '../../src/contract/hosts/in-process.js'
import { stdio } from '../../src/contract/hosts/stdio.js'
import { notApplicable } from '../../src/contract/not-applicable.js'
import type { RunningPath } from '../../src/contract/paths/contract-path.js'
import { direct, pipes } from '../../src/contract/paths/direct.js'
import { gateway, passthrough } from '../../src/contract/paths/through-gateway.js'
import { startContractServer } from '../../src/contract/server.js'

/** Milliseconds that a case which could pass has at the most. */
const limitMs = 3_000

describe.each([direct, pipes, gateway, passthrough])('on the path $name', ({ name: pathName, start }) => {
  let host: RunningHost
  let path: RunningPath

  beforeAll(async () => {
    path = await start()
    host = await (pathName === 'stdio' ? stdio : inProcess).start()
  })
  afterAll(async () => {
    await host.stop()
    await path.stop()
  })

  test.each(Object.keys(notApplicable[pathName]))('this case can’t pass: %s', async (name) => {
    const server = await startContractServer()
    try {
      const target = { ...path.target(server, 'legacy', 'legacy'), controlUrl: server.url }
      // A process that has ended with its session leaves some to wait for what never comes.
      const never = new Promise<never>((_, reject) => setTimeout(() => reject(new Error('not done')), limitMs))
      await expect(Promise.race([host.run(name, target), never])).rejects.toThrow()
    } finally {
      await server.close()
    }
  })
})
