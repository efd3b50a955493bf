import { McpServer, ResourceTemplate } from '@modelcontextprotocol/sdk/server/mcp.js'
import type { RequestHandlerExtra } from '@modelcontextprotocol/sdk/shared/protocol.js'
import {
  ElicitResultSchema,
  ListToolsRequestSchema,
  type ServerNotification,
  type ServerRequest,
} from '@modelcontextprotocol/sdk/types.js'
import type { DemoServerOptions } from './events.js'
import { IDENTITY, INSTRUCTIONS } from './identity.js'
import { argumentsOf, PROMPTS } from './prompts.js'
import { CITY_TEMPLATE, contentOf, RESOURCES } from './resources.js'
import { runTool } from './run-tool.js'
import { type ExtraTool, offersForms, type ToolContext } from './tool.js'
import { TOOLS, toolPage } from './tool-list.js'
import { rollDice } from './tools/list-changes.js'

const ANSWER_TIMEOUT_MS = 600_000

/** One server for one session. */
export function createLegacyServer(onEvent: DemoServerOptions['onEvent']): McpServer {
  const server = new McpServer(IDENTITY, { instructions: INSTRUCTIONS, capabilities: { logging: {} } })
  let offered = false
  const extraTool: ExtraTool = {
    get offered() {
      return offered
    },
    // The SDK announces both to the session's client.
    offer(value) {
      offered = value
      if (value) dice?.enable()
      else dice?.disable()
    },
  }

  const registered = TOOLS.map((tool) => {
    const { name, title, description, annotations, input, output } = tool
    return server.registerTool(
      name,
      { title, description, annotations, inputSchema: input, ...(output && { outputSchema: output }) },
      (args, extra) => runTool('legacy', tool, args, toolContext(extra), onEvent),
    )
  })
  const dice = registered[TOOLS.indexOf(rollDice)]
  dice?.disable()
  server.server.setRequestHandler(ListToolsRequestSchema, ({ params }) => toolPage(params?.cursor, offered))

  for (const resource of RESOURCES) {
    const { uri, name, title, description, mimeType } = resource
    server.registerResource(name, uri, { title, description, mimeType }, () => ({ contents: [contentOf(resource)] }))
  }
  const { uriTemplate, name, title, description, mimeType, complete, read } = CITY_TEMPLATE
  server.registerResource(
    name,
    new ResourceTemplate(uriTemplate, { list: undefined, complete }),
    { title, description, mimeType },
    (uri, variables) => ({ contents: [read(uri, String(variables.name))] }),
  )

  for (const prompt of PROMPTS) {
    const { name, title, description } = prompt
    server.registerPrompt(name, { title, description, argsSchema: argumentsOf(prompt) }, (args) => ({
      description,
      messages: prompt.messages(args),
    }))
  }

  function toolContext(extra: RequestHandlerExtra<ServerRequest, ServerNotification>): ToolContext {
    const { signal, sessionId, sendNotification, sendRequest } = extra
    const progressToken = extra._meta?.progressToken
    return {
      signal,
      extraTool,
      log: (level, data) => server.sendLoggingMessage({ level, data, logger: IDENTITY.name }, sessionId),
      async progress(update) {
        if (progressToken === undefined) return
        await sendNotification({ method: 'notifications/progress', params: { progressToken, ...update } })
      },
      ...(offersForms(server.server.getClientCapabilities()) && {
        // Sent on the stream of the call, not on the session's: a client may not have opened that.
        elicit: (_key, question) => sendRequest(question, ElicitResultSchema, { signal, timeout: ANSWER_TIMEOUT_MS }),
      }),
    }
  }

  return server
}
