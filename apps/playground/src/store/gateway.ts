import type { ConnectionActions } from './connection.js'
import { endpointBehindGateway, gatewayUrl } from './gateway-url.js'
import type { StoreCore } from './playground-store.js'
import type { Gateway, GatewayServer } from './state.js'

export interface GatewayActions {
  /** Takes the gateway's token, and asks it for its servers. */
  openGateway(token: string): Promise<void>
  chooseBehindGateway(name: string): void
  /** Connects to the chosen server. */
  connectThroughGateway(): Promise<void>
}

export function createGatewayActions(core: StoreCore, { connectTo }: ConnectionActions): GatewayActions {
  const { get, set, ports } = core
  let asked = 0

  async function ask(token: string): Promise<Gateway> {
    const headers = { authorization: `Bearer ${token}` }
    const response = await ports
      .fetch(gatewayUrl(ports.pageUrl, 'servers'), { headers, cache: 'no-store' })
      .catch(() => undefined)
    if (!response) return failed('The gateway does not answer: check that npm start is still running.')
    if (response.status === 401)
      return failed('The gateway refused this page’s token: open the address that npm start printed last.')
    const servers = response.ok ? await readServers(response) : undefined
    if (!servers) return failed(`There is no gateway beside this page (HTTP ${response.status}).`)
    return { status: 'ready', servers, chosen: servers[0]?.name ?? '' }
  }

  return {
    openGateway: async (token) => {
      core.gatewayToken = token
      const turn = ++asked
      set({ gateway: { status: 'opening' } })
      const gateway = await ask(token)
      if (turn === asked) set({ gateway })
    },
    chooseBehindGateway: (chosen) => {
      const { gateway } = get()
      if (gateway.status === 'ready') set({ gateway: { ...gateway, chosen } })
    },
    connectThroughGateway: async () => {
      const { gateway } = get()
      if (gateway.status === 'ready') await connectTo(endpointBehindGateway(ports.pageUrl, gateway.chosen))
    },
  }
}

/** Undefined for what is no gateway's answer: a static host may answer any path with its page. */
async function readServers(response: Response): Promise<GatewayServer[] | undefined> {
  try {
    const { servers } = (await response.json()) as { servers?: GatewayServer[] }
    return Array.isArray(servers) ? servers : undefined
  } catch {
    return undefined
  }
}

const failed = (reason: string): Gateway => ({ status: 'failed', reason })
