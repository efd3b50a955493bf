import type * as core from '@x/core'
import type {
  ConnectAllOptions,
  ConnectOptions,
  Era,
  Host,
  McpClient,
  ServerConfig,
  ServerSource,
  Toolset,
} from '@x/core'
import type * as aiSdk from '@x/core/ai-sdk'
import { gatewayToolName } from './fixtures.js'
import type { ContractControl } from './log.js'
import { verifyCell } from './verify-cell.js'

/** The public names that every package with a host exports alike. */
export type ContractApi = Pick<
  typeof core,
  | 'ConnectError'
  | 'DeniedError'
  | 'DisconnectedError'
  | 'HttpError'
  | 'InputRequiredError'
  | 'InvalidResponseError'
  | 'JsonRpcError'
  | 'McpError'
  | 'TimeoutError'
  | 'ToolError'
  | 'ToolNameError'
  | 'TooLargeError'
  | 'localTools'
  | 'toModelOutput'
> &
  Pick<typeof aiSdk, 'toTools'>

/**
 * What stands between client and server: `direct` nothing; `stdio` pipes, to a process of the server's own; `gateway` a
 * gateway's own endpoint; `passthrough` a gateway's endpoint of that one server.
 */
export type PathName = 'direct' | 'stdio' | 'gateway' | 'passthrough'

/** What one case runs against. Plain data. */
export interface ContractTarget {
  path: PathName
  /** The era that the client is to speak. */
  era: Era
  /** The era in which the contract's server is spoken to. Only behind a gateway it can be the other. */
  serverEra: Era
  /** What the client is to connect with. */
  server: ServerConfig
  /** An endpoint at which nobody listens. */
  deadUrl: string
}

/** What is under test. */
export interface ContractSubject {
  api: ContractApi
  /** The realm in which the subject's requests must be made, as they name it themselves. */
  realm: string
  /** A host of its own, with connections of its own. */
  createHost(): Host
}

/** What a case works with. What it opens is closed after it. */
export interface ContractContext extends ContractTarget {
  api: ContractApi
  control: ContractControl
  /** Of the target's server. */
  url: string
  /** The name that a tool of the contract's server has on this path. */
  toolName(tool: string): string
  /** Connects to the target's server, with these changes. */
  connect(config?: Partial<ServerConfig>, options?: ConnectOptions): Promise<McpClient>
  connectAll(servers: Record<string, ServerSource>, options?: ConnectAllOptions): Promise<Toolset>
  createHost(): Host
}

export interface ContractCase {
  name: string
  run(context: ContractContext): Promise<void>
}

/**
 * Runs one case, and then holds the server's log to the path, era and realm that were to be tested: a case that passed
 * somewhere else proves nothing.
 */
export async function runCase(
  contractCase: ContractCase,
  target: ContractTarget,
  subject: ContractSubject,
  host: Host,
  control: ContractControl,
): Promise<void> {
  const opened: { close(): Promise<void> }[] = []
  const keep = <Opened extends { close(): Promise<void> }>(item: Opened) => {
    opened.push(item)
    return item
  }
  const { path, server } = target
  try {
    await contractCase.run({
      ...target,
      api: subject.api,
      control,
      url: server.url,
      toolName: (tool) => (path === 'gateway' ? gatewayToolName(tool) : tool),
      connect: async (config = {}, options = {}) => keep(await host.connect({ ...server, ...config }, options)),
      // However busy the machine is, no server comes late.
      connectAll: async (servers, options) => keep(await host.connectAll(servers, { settleMs: Infinity, ...options })),
      createHost: () => keep(subject.createHost()),
    })
  } finally {
    await Promise.all(opened.map((item) => item.close()))
  }
  await verifyCell(target, subject.realm, control)
}
