import { expect, test, vi } from 'vitest'
import { bundleRealm } from '../../src/contract/bundle-realm.js'
import { workerd } from '../../src/contract/hosts/workerd.js'
import { direct } from '../../src/contract/paths/direct.js'
import { startContractServer } from '../../src/contract/server.js'
import { startWorkerd } from '../../src/contract/start-workerd.js'

test.each(['suite-worker', 'gateway-worker'])('nothing is left in %s that only Node has', async (name) => {
  const script = await bundleRealm(name, 'workerd')
  expect(script).not.toMatch(/["']node:/)
  // Of a bundle that had something external, this would be left.
  expect(script).not.toMatch(/^import\b/m)
})

test('a case that fails in workerd fails', async () => {
  const server = await startContractServer()
  const [host, path] = await Promise.all([workerd.start(), direct.start()])
  try {
    const target = { ...path.target(server, 'modern', 'modern'), controlUrl: server.url }
    const name = 'a tool is called once and its result comes back'
    await host.run(name, target)
    await server.control.reset()
    await expect(host.run(name, { ...target, serverEra: 'legacy' })).rejects.toThrow('endpoint of POST')
    await expect(host.run('no such case', target)).rejects.toThrow('the suite has no case "no such case"')
  } finally {
    await host.stop()
    await server.close()
  }
})

test('what a Worker writes is told once', async () => {
  const worker = await startWorkerd(`
    export default {
      fetch() {
        console.error('something is wrong')
        return new Response('fine')
      }
    }`)
  try {
    expect(await (await fetch(worker.url)).text()).toBe('fine')
    await vi.waitFor(() => expect(worker.verify).toThrow('workerd says: something is wrong'))
    worker.verify()
  } finally {
    await worker.stop()
  }
})
