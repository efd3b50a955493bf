import type { CallToolResult, ConnectionEvent, ContentBlock, EventFilter, McpClient } from '@x/core'
import type { ContractContext, ContractTarget } from '../contract-case.js'
import { ExpectationError } from '../expect.js'
import type { LogEntry, RequestHead } from '../log.js'

/** What every host has to do on every path and in every era, by what is promised. */
export type Promises = Record<string, (context: ContractContext) => Promise<void>>

type Control = ContractContext['control']

export function textOf(result: CallToolResult): string {
  const [block] = result.content
  return block?.type === 'text' ? block.text : `no text but ${block?.type}`
}

export function bytesOf(content: ContentBlock[]): Uint8Array<ArrayBuffer>[] {
  return content.flatMap((block) => {
    if (block.type === 'image' || block.type === 'audio') return [block.data]
    return block.type === 'resource' && 'blob' in block.resource ? [block.resource.blob] : []
  })
}

export function pluck<Item, Key extends keyof Item>(items: readonly Item[], key: Key): Item[Key][] {
  return items.map((item) => item[key])
}

/** The requests that the server saw; of one method, or all. */
export async function requests(control: Control, method?: string): Promise<LogEntry[]> {
  return (await control.log()).filter(
    (entry) => entry.kind === 'request' && (method === undefined || entry.method === method),
  )
}

/** The calls of a tool that began to run. */
export async function calls(control: Control, tool: string): Promise<LogEntry[]> {
  return (await control.log()).filter((entry) => entry.kind === 'call' && entry.tool === tool)
}

/** What the client itself sent: through a gateway, what that one was sent. */
export function clientHead(entry: LogEntry): RequestHead {
  return entry.caller ?? entry
}

/**
 * Milliseconds in which a call is at its tool, on this path and as busy as this machine is now: what a whole one takes,
 * many times over.
 */
export async function timeToArriveMs(client: McpClient, { toolName }: Pick<ContractContext, 'toolName'>) {
  const began = performance.now()
  await client.callTool(toolName('echo'), { text: 'how long does it take?' })
  return Math.ceil(200 + 5 * (performance.now() - began))
}

/** A session lives on the server, and there only if that is spoken to in the earlier era. */
export const hasSessions = ({ serverEra }: Pick<ContractTarget, 'serverEra'>) => serverEra === 'legacy'

/** Whether all that a server says comes by one stream, which is there from the handshake to the end. */
export const hasOneStream = ({ path, serverEra }: Pick<ContractTarget, 'path' | 'serverEra'>) =>
  path === 'stdio' && serverEra === 'legacy'

/** What happens while a call runs. @throws Where the call ends before it happens; what the call is rejected with. */
export function during<Happening>(call: Promise<unknown>, happening: Promise<Happening>): Promise<Happening> {
  const ended = call.then((): never => {
    throw new ExpectationError('the call ended before what it should have waited for')
  })
  return Promise.race([happening, ended])
}

/** Waits until the server can tell the client something by itself; of that resource, where it is about one. */
export async function listening({ control, serverEra }: Pick<ContractContext, 'control' | 'serverEra'>, uri?: string) {
  // Earlier revisions subscribe to a resource by a request of its own, and then hear of it on the one stream.
  await control.waitFor({ kind: 'listening', ...(uri !== undefined && serverEra === 'modern' && { uri }) })
}

/** The first event of a kind from now on. Listens until the connection ends. */
export function nextEvent<Type extends ConnectionEvent['type']>(
  client: McpClient,
  filter: EventFilter,
  type: Type,
): Promise<Extract<ConnectionEvent, { type: Type }>> {
  return new Promise((resolve) => {
    client.listen(filter, (event) => {
      if (event.type === type) resolve(event as Extract<ConnectionEvent, { type: Type }>)
    })
  })
}
