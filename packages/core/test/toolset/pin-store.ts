import type { KeyValueStore } from '../../src/config.js'
import type { Json, Tool } from '../../src/protocol.js'
import type { ConnectAllOptions } from '../../src/toolset/toolset.js'
import { createFakeServer, type FakeServer } from '../fake-server.js'
import { createSet, url } from '../fake-set.js'

/** A store as a disk is: what is kept is JSON, and nobody's object. */
export function createPinStore() {
  const kept = new Map<string, string>()
  let writes = 0
  const store: KeyValueStore = {
    async get(key) {
      const text = kept.get(key)
      return text === undefined ? undefined : (JSON.parse(text) as Json)
    },
    async set(key, value) {
      writes++
      kept.set(key, JSON.stringify(value))
    },
    delete: async (key) => void kept.delete(key),
  }
  return {
    store,
    kept,
    get writes() {
      return writes
    },
  }
}

/** A new set, as after a reload, whose one server `s` lists these tools. */
export async function reloaded(store: KeyValueStore, tools: Tool[], more: ConnectAllOptions = {}) {
  const server: FakeServer = createFakeServer(...tools)
  const { toolset } = createSet({ s: server }, { pins: store, ...more })
  await toolset.add('s', url('s'))
  return { server, toolset, state: () => toolset.servers.s! }
}
