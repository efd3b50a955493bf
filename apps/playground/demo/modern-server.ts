import {
  type CallToolResult,
  type InputRequiredResult,
  inputRequired,
  inputResponse,
  McpServer,
  type RequestStateCodec,
  ResourceTemplate,
  type ServerContext,
} from '@modelcontextprotocol/server'
import { z } from 'zod'
import type { DemoServerOptions } from './events.js'
import { IDENTITY, INSTRUCTIONS } from './identity.js'
import { argumentsOf, PROMPTS } from './prompts.js'
import { CITY_TEMPLATE, contentOf, RESOURCES } from './resources.js'
import { InputRequiredError, runTool } from './run-tool.js'
import { type Answer, type DemoTool, type ExtraTool, offersForms, type ToolContext } from './tool.js'
import { TOOLS, toolPage } from './tool-list.js'
import { rollDice } from './tools/list-changes.js'

export interface ModernServerParts {
  extraTool: ExtraTool
  /** Carries the answers of earlier rounds. */
  answers: RequestStateCodec<Record<string, Answer>>
  onEvent: DemoServerOptions['onEvent']
}

const FIVE_MINUTES = { ttlMs: 300_000, cacheScope: 'public' } as const

/** One server for one request, as the revision is stateless. */
export function createModernServer({ extraTool, answers, onEvent }: ModernServerParts): McpServer {
  const server = new McpServer(IDENTITY, {
    instructions: INSTRUCTIONS,
    capabilities: { logging: {} },
    requestState: { verify: answers.verify },
    // Not the list of tools: it changes at a call of add_tool.
    cacheHints: {
      'server/discover': FIVE_MINUTES,
      'resources/list': FIVE_MINUTES,
      'resources/templates/list': FIVE_MINUTES,
      'resources/read': FIVE_MINUTES,
      'prompts/list': FIVE_MINUTES,
    },
  })

  for (const tool of TOOLS) {
    const { title, description, annotations, input, output } = tool
    const registered = server.registerTool(
      tool.name,
      { title, description, annotations, inputSchema: input, ...(output && { outputSchema: output }) },
      (args, context) => call(tool, args, context),
    )
    if (tool === rollDice && !extraTool.offered) registered.disable()
  }
  server.server.setRequestHandler('tools/list', ({ params }) => toolPage(params?.cursor, extraTool.offered))

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
    server.registerPrompt(name, { title, description, argsSchema: z.object(argumentsOf(prompt)) }, (args) => ({
      description,
      messages: prompt.messages(args),
    }))
  }

  async function call(
    tool: DemoTool,
    args: Record<string, unknown>,
    context: ServerContext,
  ): Promise<CallToolResult | InputRequiredResult> {
    try {
      return await runTool('modern', tool, args, toolContext(context), onEvent)
    } catch (error) {
      if (!(error instanceof InputRequiredError)) throw error
      return inputRequired({
        inputRequests: { [error.key]: error.question },
        requestState: await answers.mint(error.answers, context),
      })
    }
  }

  function toolContext({ mcpReq }: ServerContext): ToolContext {
    const earlier = mcpReq.requestState<Record<string, Answer>>() ?? {}
    const progressToken = mcpReq._meta?.progressToken
    return {
      signal: mcpReq.signal,
      extraTool,
      log: (level, data) => mcpReq.log(level, data, IDENTITY.name),
      async progress(update) {
        if (progressToken === undefined) return
        await mcpReq.notify({ method: 'notifications/progress', params: { progressToken, ...update } })
      },
      ...(offersForms(server.server.getClientCapabilities()) && {
        async elicit(key, question) {
          const answered = earlier[key]
          if (answered) return answered
          const response = inputResponse(mcpReq.inputResponses, key)
          if (response.kind !== 'elicit') throw new InputRequiredError(key, question, earlier)
          // Only this round brings the answer; later ones need it too.
          earlier[key] = { action: response.action, content: response.content }
          return earlier[key]
        },
      }),
    }
  }

  return server
}
