import { type AddressInfo, connect, createServer } from 'node:net'
import type { Era } from '@x/core'
import { type RequestHandler, startScriptedServer } from '../scripted-server.js'
import { answerPreflight, withCors } from './cors.js'
import { createLegacyEndpoint, createModernEndpoint, type Endpoint } from './endpoints.js'
import { metaNoteKey } from './fixtures.js'
import type { ContractControl } from './log.js'
import { createMethods } from './methods.js'
import { rawReplies } from './raw-replies.js'
import { answerControl, type ContractRecord, createRecord } from './record.js'
import { describeHead } from './request-head.js'
import { createTools } from './tools.js'

export interface ContractServer {
  /** Without a path; the endpoints are `/modern/mcp` and `/legacy/mcp`, the control is `/control`. */
  url: string
  /** An endpoint at which nobody listens, for as long as this server runs. */
  deadUrl: string
  control: ContractControl
  close(): Promise<void>
}

/**
 * Starts the contract's MCP server on loopback: both eras over one table of tools, readable from any origin, with a log
 * of what it saw.
 *
 * @param port - Default: any free one.
 */
export async function startContractServer(port = 0): Promise<ContractServer> {
  const record = createRecord()
  const tools = createTools()
  const open = (era: Era, create: typeof createModernEndpoint) =>
    create(createMethods(tools, (kind, tool) => record.add({ kind, endpoint: era, tool })))
  const endpoints = { modern: open('modern', createModernEndpoint), legacy: open('legacy', createLegacyEndpoint) }
  const server = await startScriptedServer(createHandler(endpoints, record), port)
  const reserved = await reservePort()
  return {
    url: server.url,
    deadUrl: `http://127.0.0.1:${reserved.port}/mcp`,
    control: record,
    async close() {
      reserved.release()
      await Promise.all([endpoints.modern.close(), endpoints.legacy.close()])
      await server.close()
    },
  }
}

function createHandler(endpoints: Record<Era, Endpoint>, record: ContractRecord): RequestHandler {
  return async (request) => {
    const { pathname } = new URL(request.url)
    if (pathname === '/control') return answerControl(record, request)
    const era = (/^\/(modern|legacy)\/mcp$/.exec(pathname)?.[1] as Era | undefined) ?? undefined
    if (!era) return new Response('no such path', { status: 404 })
    const preflight = answerPreflight(request)
    if (preflight) {
      record.add({ kind: 'preflight', endpoint: era })
      return preflight
    }
    return withCors(await answerMcp(request, era, endpoints[era], record))
  }
}

interface Message {
  id?: unknown
  method?: string
  params?: { name?: string; arguments?: Record<string, unknown>; _meta?: Record<string, unknown> }
}

async function answerMcp(request: Request, era: Era, endpoint: Endpoint, record: ContractRecord): Promise<Response> {
  const body = request.method === 'POST' ? await request.text() : ''
  const message = parse(body)
  const about = {
    endpoint: era,
    ...(message?.method && { method: message.method }),
    ...(message?.method === 'tools/call' && message.params?.name && { tool: message.params.name }),
  }
  const metaNote = message?.params?._meta?.[metaNoteKey]
  record.add({
    kind: 'request',
    ...about,
    ...describeHead(request),
    ...(typeof metaNote === 'string' && { metaNote }),
    bytes: Buffer.byteLength(body),
  })
  const raw = message?.method === 'tools/call' ? rawReplies[message.params?.name ?? ''] : undefined
  if (raw) {
    record.add({ kind: 'call', ...about })
    return raw({
      era,
      id: message?.id,
      args: message?.params?.arguments ?? {},
      progressToken: message?.params?._meta?.progressToken,
      onCut: (bytes) => record.add({ kind: 'cut', ...about, bytes }),
    })
  }
  request.signal.addEventListener('abort', () => record.add({ kind: 'cut', ...about }))
  return endpoint.answer(request, message)
}

function parse(body: string): Message | undefined {
  try {
    return JSON.parse(body) as Message
  } catch {
    return undefined
  }
}

interface ReservedPort {
  port: number
  release(): void
}

// A port that a client's socket holds is refused to everyone who connects to it, and given to nobody else.
async function reservePort(): Promise<ReservedPort> {
  const holder = createServer((socket) => socket.on('error', () => {}))
  await new Promise<void>((resolve) => holder.listen(0, '127.0.0.1', resolve))
  const socket = connect((holder.address() as AddressInfo).port, '127.0.0.1')
  await new Promise((resolve, reject) => socket.once('connect', resolve).once('error', reject))
  socket.on('error', () => {})
  return {
    port: socket.localPort!,
    release() {
      socket.destroy()
      holder.close()
    },
  }
}
