import { type AddressInfo, connect, createServer } from 'node:net'
import type { Era } from '@x/core'
import { type RequestHandler, startScriptedServer } from '../scripted-server.js'
import { createActions } from './actions.js'
import { answerPreflight, withCors } from './cors.js'
import type { Endpoint } from './endpoints.js'
import { createLegacyEndpoint } from './legacy-endpoint.js'
import type { ContractControl } from './log.js'
import { createMethods } from './methods.js'
import { createModernEndpoint } from './modern-endpoint.js'
import { createOffer } from './offer.js'
import { rawReplies } from './raw-replies.js'
import { answerControl, type ContractRecord, createRecord } from './record.js'
import { describeHead } from './request-head.js'
import { describeMessage, type Message } from './request-message.js'
import { createStage } from './stage.js'
import { createStreams, type Streams } from './streams.js'

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
  const stage = createStage()
  const offer = createOffer(stage)
  const streams = createStreams()
  const open = (era: Era, create: typeof createModernEndpoint) =>
    create(
      createMethods(offer, (kind, tool) => record.add({ kind, endpoint: era, tool })),
      offer,
    )
  const endpoints = { modern: open('modern', createModernEndpoint), legacy: open('legacy', createLegacyEndpoint) }
  const control = { ...record, act: createActions({ endpoints: Object.values(endpoints), offer, stage, streams }) }
  const server = await startScriptedServer(createHandler({ endpoints, record, control, streams }), port)
  const reserved = await reservePort()
  return {
    url: server.url,
    deadUrl: `http://127.0.0.1:${reserved.port}/mcp`,
    control,
    async close() {
      reserved.release()
      await Promise.all([endpoints.modern.close(), endpoints.legacy.close()])
      await server.close()
    },
  }
}

interface Serving {
  endpoints: Record<Era, Endpoint>
  record: ContractRecord
  control: ContractControl
  streams: Streams
}

function createHandler(serving: Serving): RequestHandler {
  return async (request) => {
    const { pathname } = new URL(request.url)
    if (pathname === '/control') return answerControl(serving.control, request)
    const era = (/^\/(modern|legacy)\/mcp$/.exec(pathname)?.[1] as Era | undefined) ?? undefined
    if (!era) return new Response('no such path', { status: 404 })
    const preflight = answerPreflight(request)
    if (preflight) {
      serving.record.add({ kind: 'preflight', endpoint: era })
      return preflight
    }
    return withCors(await answerMcp(request, era, serving))
  }
}

async function answerMcp(request: Request, era: Era, { endpoints, record, streams }: Serving): Promise<Response> {
  const body = request.method === 'POST' ? await request.text() : ''
  const message = parse(body)
  const about = { endpoint: era, ...describeMessage(message) }
  record.add({ kind: 'request', ...about, ...describeHead(request), bytes: Buffer.byteLength(body) })
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
  const response = await endpoints[era].answer(request, message)
  const listens = request.method === 'GET' || message?.method === 'subscriptions/listen'
  if (!listens || !response.headers.get('content-type')?.startsWith('text/event-stream')) return response
  record.add({ kind: 'listening', ...about })
  return streams.keep(response, message && gracefulEnd(message.id))
}

/** With what revision 2026-07-28 ends a subscription. Earlier ones have nothing to say. */
function gracefulEnd(id: unknown): object {
  return {
    jsonrpc: '2.0',
    id,
    result: { resultType: 'complete', _meta: { 'io.modelcontextprotocol/subscriptionId': id } },
  }
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
