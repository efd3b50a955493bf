import { createMcpHandler, type McpHttpHandler, Server } from '@modelcontextprotocol/server'
import { type ScriptedServer, startScriptedServer } from '@x/testkit'

type Json = Record<string, unknown>
type AnswerCall = (name: string, params: Json) => Json | Promise<Json>

export interface ToolServer extends ScriptedServer {
  /** Methods that reached it, with the tool that is called. */
  asked: string[]
}

/** A server of both eras with these tools, which it lists as they are; each call is answered by the function. */
export function createToolHandler(tools: Json[], call: AnswerCall, asked: string[] = []): McpHttpHandler {
  return createMcpHandler(() => {
    const server = new Server({ name: 'tools', version: '1' }, { capabilities: { tools: {} } })
    server.fallbackRequestHandler = async ({ method, params = {} }) => {
      asked.push(method === 'tools/call' ? `${method} ${params.name}` : method)
      return method === 'tools/list' ? { tools } : call(String(params.name), params)
    }
    return server
  })
}

/** The same on loopback. */
export async function startToolServer(tools: Json[], call: AnswerCall): Promise<ToolServer> {
  const asked: string[] = []
  const handler = createToolHandler(tools, call, asked)
  const scripted = await startScriptedServer((request) => handler.fetch(request))
  return { ...scripted, url: `${scripted.url}/mcp`, asked }
}
