import type { CallToolResult, Server } from '@modelcontextprotocol/server'
import { createCatalogue } from './catalogue.js'
import { reportError } from './events.js'
import type { Exchange } from './exchange.js'
import { parseJson, readBody } from './limits.js'
import { isRpcError, rpcError, toRpcError } from './rpc-error.js'
import { version } from './version.js'

const identity = { name: '@x/edge', version }
const methodNotFound = -32601

/**
 * Loads the protocol engine's server when the first request needs it: importing this package has no effect. zod must be
 * told not to generate code before the engine's schemas are made: workerd forbids it.
 */
async function loadEngine(): Promise<typeof import('@modelcontextprotocol/server')> {
  const { forbidCodeGeneration } = await import('./zod-setup.js')
  forbidCodeGeneration()
  return import('@modelcontextprotocol/server')
}

/**
 * All upstreams' tools as one MCP server: revision 2026-07-28, and the earlier ones without sessions. Each request is
 * served by itself, so that any instance can answer it.
 */
export async function answerMcp(exchange: Exchange): Promise<Response> {
  const { request } = exchange
  const parsedBody = request.method === 'POST' ? parseJson(await readBody(exchange)).value : undefined
  const engine = await loadEngine()
  const { method } = (parsedBody ?? {}) as { method?: unknown }
  const handler = engine.createMcpHandler(() => createServer(engine.Server, exchange), {
    // A stream from the start: proxies give up on a long call that shows no sign of life, and this one pings.
    responseMode: method === 'tools/call' ? 'sse' : 'auto',
  })
  return flushed(await handler.fetch(request, parsedBody === undefined ? {} : { parsedBody }))
}

function createServer(Engine: typeof Server, exchange: Exchange): Server {
  const { gateway, caller } = exchange
  const catalogue = createCatalogue(exchange)
  const server = new Engine(identity, {
    capabilities: { tools: {} },
    // Nothing is validated here: the schemas are the upstreams' own, and they check.
    jsonSchemaValidator: {
      getValidator: () => (input) => ({ valid: true, data: input as never, errorMessage: undefined }),
    },
  })
  server.onerror = (error) => gateway.report({ type: 'failed', in: 'gateway', error })
  // Not `setRequestHandler`: it would hold results to the schemas of its own revision, and drop what it doesn't know.
  server.fallbackRequestHandler = async ({ method, params = {} }, { mcpReq }) => {
    try {
      switch (method) {
        case 'tools/list':
          return await catalogue.list(params, mcpReq.signal)
        case 'tools/call': {
          const { result, tool } = await catalogue.call(params, {
            signal: mcpReq.signal,
            progress: (progressToken, progress) =>
              mcpReq.notify({ method: 'notifications/progress', params: { ...progress, progressToken } }),
          })
          // Structured content of an earlier revision is an object: the engine wraps the schema of any other in the
          // list, and this the content.
          return server.projectCallToolResult(result as CallToolResult, tool.outputSchema)
        }
        default:
          throw rpcError(methodNotFound, `The gateway has no method ${method}`)
      }
    } catch (error) {
      // Whatever a call ends with after its caller has left is nobody's failure.
      if (!isRpcError(error) && !mcpReq.signal.aborted) reportError(gateway, error, caller)
      throw toRpcError(error)
    }
  }
  return server
}

/** An event stream begins with a comment: proxies hold headers back until the first byte. */
function flushed(response: Response): Response {
  if (!response.body || !response.headers.get('content-type')?.startsWith('text/event-stream')) return response
  const body = response.body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      start: (controller) => controller.enqueue(new TextEncoder().encode(': connected\n\n')),
    }),
  )
  return new Response(body, response)
}
