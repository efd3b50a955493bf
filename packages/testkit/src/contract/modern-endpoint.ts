import { createMcpHandler, Server, type ServerContext, type StandardSchemaV1 } from '@modelcontextprotocol/server'
import { capabilities, type Endpoint } from './endpoints.js'
import { instructions, serverIdentity } from './fixtures.js'
import type { AnswerMethod, MethodContext } from './methods.js'
import { createModernTasks, type ModernTasks, taskMethods, tasksExtension } from './modern-tasks.js'
import type { Offer } from './offer.js'
import { createRounds, inputRequired } from './rounds.js'
import { createRpcError } from './rpc-error.js'
import { skillsExtension } from './skills.js'

type Params = Record<string, unknown>

const missingCapability = -32021
const clientCapabilities = 'io.modelcontextprotocol/clientCapabilities'

/** The extension's own methods are not the SDK's to check. */
const anyParams: StandardSchemaV1<Params> = {
  '~standard': { version: 1, vendor: 'contract', validate: (value) => ({ value: value as Params }) },
}

/** Revision 2026-07-28 and no other, by the SDK's successor. */
export function createModernEndpoint(answerMethod: AnswerMethod, offer: Offer): Endpoint {
  const tasks = createModernTasks()
  const handler = createMcpHandler(
    () => {
      const extensions = { [tasksExtension]: {}, [skillsExtension]: {} }
      // What a client may remember. Lists are not: a client that keeps them would ask for no second page.
      const cacheHints = { 'server/discover': { ttlMs: 60_000 } } as const
      const server = new Server(serverIdentity, {
        capabilities: { ...capabilities, extensions },
        instructions,
        cacheHints,
      })
      // The low-level handler: the SDK's own tool lists have no pages.
      server.fallbackRequestHandler = ({ method, params = {} }, context) =>
        method === 'tools/call' && wantsTask(offer, params, context)
          ? beginTask(answerMethod, tasks, params, context)
          : answerInRounds(answerMethod, method, params, context)
      // It would refuse them otherwise, because an earlier revision had methods of that name.
      for (const method of taskMethods)
        server.setRequestHandler(method, { params: anyParams }, async (params, { mcpReq: { inputResponses } }) =>
          tasks.answer(method, { ...params, ...(inputResponses && { inputResponses }) }),
        )
      return server
    },
    { legacy: 'reject' },
  )
  return {
    answer: (request, parsedBody) => handler.fetch(request, { parsedBody }),
    async announce(news) {
      if ('list' in news) handler.notify[`${news.list}Changed`]()
      // That an elicitation was completed is told in earlier revisions only.
      else if ('updated' in news) handler.notify.resourceUpdated(news.updated)
    },
    forget: async () => {},
    async close() {
      tasks.stop()
      await handler.close()
    },
  }
}

function createContext({ mcpReq }: ServerContext): Omit<MethodContext, 'ask'> {
  return {
    era: 'modern',
    signal: mcpReq.signal,
    async progress(progress) {
      const progressToken = mcpReq._meta?.progressToken
      if (progressToken === undefined) return
      await mcpReq.notify({ method: 'notifications/progress', params: { progressToken, ...progress } })
    },
    log: ({ level, data, logger }) => mcpReq.log(level, data, logger),
  }
}

async function answerInRounds(
  answerMethod: AnswerMethod,
  method: string,
  params: Params,
  context: ServerContext,
): Promise<Params> {
  const { inputResponses = {}, requestState } = context.mcpReq
  const { ask, continued } = createRounds(inputResponses as Record<string, Params>, requestState())
  try {
    return await answerMethod(method, params, { ...createContext(context), ask, continued })
  } catch (error) {
    return inputRequired(error)
  }
}

/** @throws -32021 where the tool runs as a task only, and the client knows of none. */
function wantsTask(offer: Offer, params: Params, { mcpReq }: ServerContext): boolean {
  const support = offer.tools.get(String(params.name))?.execution?.taskSupport
  if (!support) return false
  const { extensions } = ((mcpReq.envelope as Params | undefined)?.[clientCapabilities] ?? {}) as {
    extensions?: Params
  }
  if (extensions?.[tasksExtension]) return true
  const requiredCapabilities = { extensions: { [tasksExtension]: {} } }
  if (support === 'required')
    throw createRpcError(missingCapability, 'This tool runs as a task only', { requiredCapabilities })
  return false
}

async function beginTask(
  answerMethod: AnswerMethod,
  tasks: ModernTasks,
  params: Params,
  context: ServerContext,
): Promise<Params> {
  return tasks.begin((task) => answerMethod('tools/call', params, { ...createContext(context), ...task }))
}
