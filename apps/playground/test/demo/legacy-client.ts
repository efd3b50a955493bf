import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import {
  CallToolResultSchema,
  ElicitRequestSchema,
  LoggingMessageNotificationSchema,
  ToolListChangedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js'
import { onTestFinished } from 'vitest'
import type { ClientHooks, DemoClient } from './demo-client.js'

export async function connectLegacy(url: URL, { elicit, onToolsChanged, onLog }: ClientHooks): Promise<DemoClient> {
  const client = new Client(
    { name: 'legacy-test', version: '1.0.0' },
    { capabilities: elicit ? { elicitation: { form: {} } } : {} },
  )
  if (elicit) client.setRequestHandler(ElicitRequestSchema, ({ params }) => elicit(params))
  if (onToolsChanged) client.setNotificationHandler(ToolListChangedNotificationSchema, onToolsChanged)
  if (onLog) {
    client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => onLog(params.level, params.data))
  }
  // The session's own stream is a GET that the client opens after the handshake, without waiting for it.
  let streamOpened: () => void
  const listening = new Promise<void>((resolve) => {
    streamOpened = resolve
  })
  const transport = new StreamableHTTPClientTransport(url, {
    async fetch(input, init) {
      const response = await fetch(input, init)
      if (init?.method === 'GET' && response.ok) streamOpened()
      return response
    },
  })
  // The SDK declares `sessionId` in a way that exactOptionalPropertyTypes does not accept.
  await client.connect(transport as Parameters<typeof client.connect>[0])
  onTestFinished(() => client.close())
  if (onLog) {
    await listening
    await client.setLoggingLevel('notice')
  }
  return {
    era: 'legacy',
    protocolVersion: transport.protocolVersion,
    sessionId: transport.sessionId,
    server: client.getServerVersion(),
    instructions: client.getInstructions(),
    callTool: (name, args = {}, { signal, onProgress } = {}) =>
      client.request({ method: 'tools/call', params: { name, arguments: args } }, CallToolResultSchema, {
        ...(signal && { signal }),
        ...(onProgress && { onprogress: onProgress }),
      }),
    toolPage: (cursor) => client.listTools(cursor === undefined ? {} : { cursor }),
    listResources: async () => (await client.listResources()).resources,
    listResourceTemplates: async () => (await client.listResourceTemplates()).resourceTemplates,
    readResource: async (uri) => (await client.readResource({ uri })).contents,
    listPrompts: async () => (await client.listPrompts()).prompts,
    getPrompt: async (name, args = {}) => (await client.getPrompt({ name, arguments: args })).messages,
    complete: async (params) => (await client.complete(params)).completion.values,
    listening: () => listening,
    end: () => transport.terminateSession(),
  }
}
