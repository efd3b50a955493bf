import { Client, LOG_LEVEL_META_KEY, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { onTestFinished } from 'vitest'
import type { ClientHooks, DemoClient } from './demo-client.js'

export async function connectModern(url: URL, { elicit, onToolsChanged, onLog }: ClientHooks): Promise<DemoClient> {
  const client = new Client(
    { name: 'modern-test', version: '1.0.0' },
    {
      capabilities: elicit ? { elicitation: { form: {} } } : {},
      versionNegotiation: { mode: { pin: '2026-07-28' } },
    },
  )
  if (elicit) client.setRequestHandler('elicitation/create', ({ params }) => elicit(params))
  if (onToolsChanged) client.setNotificationHandler('notifications/tools/list_changed', onToolsChanged)
  if (onLog) client.setNotificationHandler('notifications/message', ({ params }) => onLog(params.level, params.data))
  const transport = new StreamableHTTPClientTransport(url)
  await client.connect(transport)
  onTestFinished(() => client.close())
  return {
    era: 'modern',
    protocolVersion: client.getNegotiatedProtocolVersion(),
    sessionId: transport.sessionId,
    server: client.getServerVersion(),
    instructions: client.getInstructions(),
    callTool: (name, args = {}, { signal, onProgress } = {}) =>
      client.callTool(
        { name, arguments: args, ...(onLog && { _meta: { [LOG_LEVEL_META_KEY]: 'notice' } }) },
        { ...(signal && { signal }), ...(onProgress && { onprogress: onProgress }) },
      ),
    toolPage: (cursor = '0') => client.listTools({ cursor }),
    listResources: async () => (await client.listResources()).resources,
    listResourceTemplates: async () => (await client.listResourceTemplates()).resourceTemplates,
    readResource: async (uri) => (await client.readResource({ uri })).contents,
    listPrompts: async () => (await client.listPrompts()).prompts,
    getPrompt: async (name, args = {}) => (await client.getPrompt({ name, arguments: args })).messages,
    complete: async (params) => (await client.complete(params)).completion.values,
    listening: () => client.listen({ toolsListChanged: true }),
    end: () => client.close(),
  }
}
