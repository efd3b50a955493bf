import type { Era, JsonObject, ProtocolVersion } from '../protocol.js'
import type { Endpoint, EndpointParts, News } from './endpoint.js'
import { createFaults, type FaultTarget, type TestFault } from './faults.js'
import { answerWith } from './faulty-answer.js'
import { createLegacyEndpoint } from './legacy-endpoint.js'
import { createMethods } from './methods.js'
import { createModernEndpoint } from './modern-endpoint.js'
import { type ListName, type TestOffer, toCapabilities } from './offer.js'
import { createRecord, type ReceivedRequest, type RequestMatch, toReceived } from './received.js'
import { errorResponse, invalidRequest, isObject, RpcError } from './rpc.js'

export interface TestServerOptions extends TestOffer {
  /** How it introduces itself. Default: `test`. */
  name?: string
  /** Default: `1.0.0`. */
  version?: string
  instructions?: string
  /** The revisions that it speaks, or those of one era. Default: all of Streamable HTTP, 2025-03-26 to 2026-07-28. */
  protocolVersions?: Era | readonly TestProtocolVersion[]
  /** Items on each page of a list; >= 1. Default: all. */
  pageSize?: number
  /** Milliseconds for which a modern client may keep lists and resources; >= 0. Default: 0, so that it asks each time. */
  ttlMs?: number
}

/** A revision whose servers have one endpoint. */
export type TestProtocolVersion = Exclude<ProtocolVersion, '2024-11-05'>

/** An MCP server in memory, for tests of what uses a client. */
export interface TestServer {
  /**
   * The server as a `fetch`, for `createHost({ fetch: server.fetch })`, and as a handler of a `Request`. Each URL is its endpoint,
   * but those under `/.well-known/`, where there is nothing.
   */
  fetch(input: string | URL | Request, init?: RequestInit): Promise<Response>
  /** All that came, in order. */
  readonly received: readonly ReceivedRequest[]
  /** Resolves with the request number `nth` (from 1) that matches, as soon as it has come. */
  arrival(match: RequestMatch, nth?: number): Promise<ReceivedRequest>
  /** How often a tool ran. */
  runs(tool: string): number
  /**
   * Has the next requests fail: of all, those that expect an answer, the handshake among them; where `method` names it also others.
   * A request meets the oldest fault that strikes it, and no other.
   *
   * @returns A function that takes back what has not struck.
   */
  failNext(fault: TestFault, target?: FaultTarget): () => void
  /** How many requests are still to fail. */
  readonly faultsLeft: number
  /** Offers something else from now on, and says that these lists have changed. What is left out stays. */
  change(offer: TestOffer): void
  readonly notify: {
    /** Says that a list has changed. */
    listChanged(list: ListName): void
    /** Says that a resource has, to those who have subscribed to it. */
    resourceUpdated(uri: string): void
  }
  /** Resolves when a client has opened a stream on which it hears such news. What is said earlier is heard by nobody. */
  heard(): Promise<void>
  /** Ends its sessions, streams and running calls; what comes later fails as an unreachable server does. */
  close(): void
}

const all: readonly TestProtocolVersion[] = ['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26']
const eraOf = (version: TestProtocolVersion): Era => (version === '2026-07-28' ? 'modern' : 'legacy')

/**
 * Creates an MCP server in memory: no network, no port, and the same in every runtime.
 *
 * @throws {RangeError} When `pageSize` is less than 1, or no revision is left.
 */
export function createTestServer(options: TestServerOptions = {}): TestServer {
  const { name = 'test', version = '1.0.0', instructions, protocolVersions = all, pageSize, ttlMs = 0 } = options
  const spoken = all.filter((candidate) =>
    typeof protocolVersions === 'string' ? eraOf(candidate) === protocolVersions : protocolVersions.includes(candidate),
  )
  if (spoken.length === 0) throw new RangeError('"protocolVersions" names no revision that a test server speaks')
  if (pageSize !== undefined && !(pageSize >= 1)) throw new RangeError('"pageSize" must be at least 1')

  let offer: TestOffer = options
  let isClosed = false
  let hearers = 0
  const waiting = new Set<() => void>()
  const runs = new Map<string, number>()
  const record = createRecord()
  const faults = createFaults()
  const endpoints = createEndpoints()

  function createEndpoints(): Partial<Record<Era, Endpoint>> {
    const answerMethod = createMethods(
      () => offer,
      pageSize ?? Number.POSITIVE_INFINITY,
      (tool) => runs.set(tool, (runs.get(tool) ?? 0) + 1),
    )
    const partsOf = (era: Era): EndpointParts => ({
      serverInfo: { name, version },
      instructions,
      versions: spoken.filter((candidate) => eraOf(candidate) === era),
      capabilities: () => toCapabilities(offer),
      onHeard() {
        hearers++
        for (const resolve of waiting) resolve()
        waiting.clear()
      },
    })
    const schemaOf = (tool: string) => offer.tools?.find((candidate) => candidate.name === tool)?.inputSchema
    const has = (era: Era) => spoken.some((candidate) => eraOf(candidate) === era)
    return {
      ...(has('modern') && { modern: createModernEndpoint({ ...partsOf('modern'), answerMethod, ttlMs, schemaOf }) }),
      ...(has('legacy') && { legacy: createLegacyEndpoint({ ...partsOf('legacy'), answerMethod }) }),
    }
  }

  async function fetch(input: string | URL | Request, init: RequestInit = {}): Promise<Response> {
    const given = input instanceof Request ? input : undefined
    const url = String(given ? given.url : input)
    const signal = init.signal ?? given?.signal ?? new AbortController().signal
    signal.throwIfAborted()
    if (isClosed) throw new TypeError('fetch failed')
    const httpMethod = (init.method ?? given?.method ?? 'GET').toUpperCase()
    const headers = new Headers(init.headers ?? given?.headers)
    // Its text whatever it is made of; a request has its body by itself.
    const text = await (init.body == null && given ? given : new Response(init.body ?? null)).text()
    const body = httpMethod === 'POST' ? parsed(text) : undefined
    const request = toReceived(url, httpMethod, headers, body)
    record.add(request)
    const fault = faults.take(request)
    if (new URL(url).pathname.startsWith('/.well-known/')) return new Response(null, { status: 404 })
    if (httpMethod === 'POST' && !body)
      return errorResponse(400, new RpcError(invalidRequest, 'A POST holds one JSON-RPC message'))
    // An era that it does not speak is answered as servers of the other one do.
    const endpoint = endpoints[request.era] ?? endpoints.modern ?? endpoints.legacy
    return answerWith(endpoint!, { request, message: body ?? {}, signal }, fault)
  }

  function tell(news: News): void {
    for (const endpoint of Object.values(endpoints)) endpoint.tell(news)
  }

  const notify: TestServer['notify'] = {
    listChanged: (list) => tell({ list }),
    resourceUpdated: (updated) => tell({ updated }),
  }

  return {
    fetch,
    received: record.all,
    arrival: (match, nth = 1) => record.arrival(match, nth),
    runs: (tool) => runs.get(tool) ?? 0,
    failNext: (fault, target = {}) => faults.add(fault, target),
    get faultsLeft() {
      return faults.left
    },
    change(next) {
      offer = { ...offer, ...next }
      if (next.tools) notify.listChanged('tools')
      if (next.resources ?? next.resourceTemplates) notify.listChanged('resources')
      if (next.prompts) notify.listChanged('prompts')
    },
    notify,
    heard: () => (hearers > 0 ? Promise.resolve() : new Promise((resolve) => void waiting.add(resolve))),
    close() {
      isClosed = true
      for (const endpoint of Object.values(endpoints)) endpoint.close()
    },
  }
}

function parsed(text: string): JsonObject | undefined {
  try {
    const body: unknown = JSON.parse(text)
    return isObject(body) ? body : undefined
  } catch {
    return undefined
  }
}
