import { type RequestHandler, rpcErrorReply, type ScriptedServer, startScriptedServer } from '@x/testkit'

const cors = {
  'access-control-allow-origin': '*',
  'access-control-allow-headers': '*, authorization',
  'access-control-allow-methods': '*',
  'access-control-expose-headers': '*',
}

/** Serves a handler to pages of any origin, also where it fails. */
export function startOpenServer(handler: RequestHandler): Promise<ScriptedServer> {
  return startScriptedServer(async (request) => {
    const response = request.method === 'OPTIONS' ? new Response(null, { status: 204 }) : await handler(request)
    for (const [name, value] of Object.entries(cors)) response.headers.set(name, value)
    return response
  })
}

type Id = number | string

interface Message {
  id?: Id
  method: string
  params?: { arguments?: object }
}

/** A server of an earlier revision with one tool, `work`, whose calls `call` answers. */
export function smallServer(
  call: (id: Id, args: object) => Response,
  inputSchema: object = { type: 'object' },
): RequestHandler {
  return async (request) => {
    if (request.method !== 'POST') return new Response(null, { status: 405 })
    const { id, method, params } = (await request.json()) as Message
    const answer = (result: object) => Response.json({ jsonrpc: '2.0', id, result })
    if (id === undefined) return new Response(null, { status: 202 })
    if (method === 'initialize')
      return answer({
        protocolVersion: '2025-11-25',
        capabilities: { tools: {} },
        serverInfo: { name: 'small', version: '1.0.0' },
      })
    if (method === 'tools/list') return answer({ tools: [{ name: 'work', inputSchema }] })
    if (method === 'tools/call') return call(id, params?.arguments ?? {})
    return rpcErrorReply(id, -32601, 'there is no such method')
  }
}

/** A tool's result. */
export const resultReply = (id: Id, result: object) => Response.json({ jsonrpc: '2.0', id, result })
