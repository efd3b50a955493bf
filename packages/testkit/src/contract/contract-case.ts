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
import { equal, ok } from './expect.js'
import type { ContractControl } from './log.js'

/** The public names that every package with a host exports alike. */
export type ContractApi = Pick<
  typeof core,
  | 'ConnectError'
  | 'DisconnectedError'
  | 'JsonRpcError'
  | 'McpError'
  | 'TimeoutError'
  | 'ToolError'
  | 'ToolNameError'
  | 'TooLargeError'
  | 'toModelOutput'
> &
  Pick<typeof aiSdk, 'toTools'>

/** A server to run one case against. Plain data. */
export interface ContractTarget {
  era: Era
  /** The MCP endpoint of that era. */
  url: string
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
  connect(config?: Partial<ServerConfig>, options?: ConnectOptions): Promise<McpClient>
  connectAll(servers: Record<string, ServerSource>, options?: ConnectAllOptions): Promise<Toolset>
  createHost(): Host
}

export interface ContractCase {
  name: string
  run(context: ContractContext): Promise<void>
}

/**
 * Runs one case, and then holds the server's log to the era and realm that were to be tested: a case that passed
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
  try {
    await contractCase.run({
      ...target,
      api: subject.api,
      control,
      connect: async (config = {}, options = {}) => keep(await host.connect({ url: target.url, ...config }, options)),
      connectAll: async (servers, options = {}) => keep(await host.connectAll(servers, options)),
      createHost: () => keep(subject.createHost()),
    })
  } finally {
    await Promise.all(opened.map((item) => item.close()))
  }
  await verifyCell(target.era, subject.realm, control)
}

/** Methods by which a client finds out the era: sent before it is known, or to settle it. */
const handshake = ['server/discover', 'initialize', 'notifications/initialized']

async function verifyCell(era: Era, realm: string, control: ContractControl): Promise<void> {
  const requests = (await control.log()).filter(({ kind }) => kind === 'request')
  ok(requests.length > 0, 'the server saw no request')
  for (const request of requests) {
    const what = `of ${request.httpMethod} ${request.method ?? ''}`
    equal(request.realm, realm, `realm ${what}`)
    equal(request.endpoint, era, `endpoint ${what}`)
    if (!handshake.includes(request.method ?? '')) equal(request.era, era, `era ${what}`)
    if (era === 'modern') equal(request.sessionId, undefined, `session ${what}`)
  }
  const initialized = requests.some(({ method }) => method === 'initialize')
  equal(initialized, era === 'legacy', 'whether the server saw initialize')
}
