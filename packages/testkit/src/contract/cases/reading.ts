import type { CallToolResult, ContentBlock, McpClient } from '@x/core'
import type { ContractContext, ContractTarget } from '../contract-case.js'
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
