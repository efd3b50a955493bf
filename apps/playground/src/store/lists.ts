import type { McpClient } from '@x/web'
import { toErrorData } from './caught.js'
import type { StoreCore } from './playground-store.js'
import type { List, Lists } from './state.js'

export interface ListActions {
  /** Reads every list that the server offers. */
  loadAll(): Promise<void>
  /** Reads the lists that a change of `list` may have touched. */
  load(list: 'tools' | 'resources' | 'prompts'): Promise<void>
}

const readers: { [Name in keyof Lists]: (client: McpClient) => Promise<Lists[Name]['items']> } = {
  tools: (client) => client.listTools(),
  resources: (client) => client.listResources(),
  templates: (client) => client.listResourceTemplates(),
  prompts: (client) => client.listPrompts(),
}

export function createListActions(core: StoreCore, tool?: string): ListActions {
  const { get, set } = core
  // What a link names is chosen once; afterwards the person chooses.
  let linked = tool

  async function read<Name extends keyof Lists>(name: Name): Promise<void> {
    const { client } = core
    if (!client) return
    const change = (list: List<Lists[Name]['items'][number]>) => {
      if (core.client === client) set({ lists: { ...get().lists, [name]: list } })
    }
    const { items } = get().lists[name]
    change({ status: 'loading', items })
    try {
      change({ status: 'ready', items: await readers[name](client) })
    } catch (error) {
      change({ status: 'failed', items, error: toErrorData(error) })
    }
  }

  async function readTools(): Promise<void> {
    await read('tools')
    const { tools: chosen = linked, ...others } = get().selection
    linked = undefined
    const isListed = get().lists.tools.items.some((item) => item.name === chosen)
    set({ selection: isListed && chosen !== undefined ? { ...others, tools: chosen } : others })
  }

  async function load(list: 'tools' | 'resources' | 'prompts'): Promise<void> {
    if (list === 'tools') await readTools()
    if (list === 'resources') await Promise.all([read('resources'), read('templates')])
    if (list === 'prompts') await read('prompts')
  }

  return {
    load,
    loadAll: async () => {
      const connection = get().connection
      const capabilities = connection.phase === 'open' ? (connection.state.server?.capabilities ?? {}) : {}
      const offered = (['tools', 'resources', 'prompts'] as const).filter((name) => name in capabilities)
      await Promise.all(offered.map(load))
    },
  }
}
