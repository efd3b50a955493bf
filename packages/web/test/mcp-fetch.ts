/** A modern MCP server behind an injected `fetch`: no wire, no port, and as fast as can be. */
export interface McpFetch {
  fetch: typeof fetch
  /** What was asked for, in order. */
  readonly requests: McpRequest[]
}

export interface McpRequest {
  id?: string | number
  method: string
  headers: Headers
  /** Fires when the client leaves. */
  signal: AbortSignal
  params: {
    name?: string
    arguments?: { [key: string]: unknown }
    _meta?: { [key: string]: unknown; progressToken?: string | number }
  }
}

/** Gives a call's result, or the whole response. */
export type ToolRun = (request: McpRequest) => object | Promise<object>

export function createMcpFetch(tools: Record<string, ToolRun> = {}): McpFetch {
  const requests: McpRequest[] = []

  function answer(request: McpRequest): object | Promise<object> {
    const cached = { ttlMs: 0, cacheScope: 'private' }
    switch (request.method) {
      case 'server/discover':
        return {
          supportedVersions: ['2026-07-28'],
          capabilities: { tools: {} },
          ...cached,
          _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'fetched', version: '1' } },
        }
      case 'tools/list':
        return { tools: Object.keys(tools).map((name) => ({ name, inputSchema: { type: 'object' } })), ...cached }
      case 'tools/call':
        return tools[request.params.name ?? '']!(request)
      default:
        throw new Error(`nothing was prepared for ${request.method}`)
    }
  }

  return {
    requests,
    async fetch(_url, init) {
      const signal = init?.signal ?? new AbortController().signal
      const { id, method, params } = JSON.parse(String(init?.body))
      const request: McpRequest = { id, method, params, signal, headers: new Headers(init?.headers) }
      requests.push(request)
      const aborted = new Promise<never>((_, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason), { once: true })
      })
      const result = await Promise.race([aborted, answer(request)])
      if (result instanceof Response) return result
      return Response.json({ jsonrpc: '2.0', id, result: { resultType: 'complete', ...result } })
    },
  }
}

/** A tool that never answers, and a promise for when it is called. */
export function createHang() {
  const { promise: called, resolve } = deferred<McpRequest>()
  const run: ToolRun = (request) => {
    resolve(request)
    return new Promise<object>(() => {})
  }
  return { run, called }
}

/** Reports progress so many times, all in one piece with the result. */
export const progressTool: ToolRun = ({ id, params }) => {
  const steps = Number(params.arguments?.steps)
  const messages: object[] = Array.from({ length: steps }, (_, index) => ({
    jsonrpc: '2.0',
    method: 'notifications/progress',
    params: { progressToken: params._meta?.progressToken, progress: index + 1, total: steps },
  }))
  messages.push({ jsonrpc: '2.0', id, result: { resultType: 'complete', content: [] } })
  const body = messages.map((message) => `data: ${JSON.stringify(message)}\n\n`).join('')
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
}

/** A promise and what settles it. */
export function deferred<Value = void>() {
  let resolve!: (value: Value) => void
  let reject!: (reason: unknown) => void
  const promise = new Promise<Value>((resolved, rejected) => {
    resolve = resolved
    reject = rejected
  })
  return { promise, resolve, reject }
}

/** What a promise rejects with. */
export async function rejection<Failure = Error>(promise: Promise<unknown>): Promise<Failure> {
  try {
    await promise
  } catch (error) {
    return error as Failure
  }
  throw new Error('it did not reject')
}
