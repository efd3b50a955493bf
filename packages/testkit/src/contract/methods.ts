import {
  blobResource,
  completions,
  displayed,
  knownBytes,
  pageSize,
  resourceTemplates,
  resultMeta,
  textResource,
} from './fixtures.js'
import type { Offer } from './offer.js'
import { createRpcError } from './rpc-error.js'
import { answerSkills, readSkillFile } from './skills.js'
import type { ToolContext } from './tools.js'

type Params = Record<string, unknown>

/** Answers MCP methods, for either era's SDK. */
export type AnswerMethod = (method: string, params: Params, context: MethodContext) => Promise<Params>

export interface MethodContext extends ToolContext {
  /** This call of a tool goes on with one that began before: it is not told of again. */
  continued?: boolean
}

const invalidParams = -32602
const methodNotFound = -32601

/** @param onCall - Told of each tool that begins, that has answers of its client, and that is told to stop meanwhile. */
export function createMethods(
  offer: Offer,
  onCall: (kind: 'call' | 'answered' | 'aborted', tool: string) => void,
): AnswerMethod {
  async function callTool(name: string, params: Params, context: MethodContext): Promise<Params> {
    const tool = offer.tools.get(name)
    if (!tool) throw createRpcError(invalidParams, `unknown tool: ${name}`)
    if (!context.continued) onCall('call', name)
    const stopped = () => onCall('aborted', name)
    context.signal.addEventListener('abort', stopped)
    const ask: ToolContext['ask'] = async (questions) => {
      const answers = await context.ask(questions)
      onCall('answered', name)
      return answers
    }
    try {
      return await tool.run((params.arguments ?? {}) as Params, { ...context, ask })
    } finally {
      context.signal.removeEventListener('abort', stopped)
    }
  }
  return async (method, params, context) => {
    switch (method) {
      case 'tools/list':
        return toPage(
          'tools',
          [...offer.tools].map(([name, { run: _run, ...tool }]) => ({ name, ...tool })),
          params,
        )
      case 'tools/call':
        return callTool(String(params.name), params, context)
      case 'resources/list':
        return toPage(
          'resources',
          offer.resources.map((uri, index) => ({
            uri,
            name: uri.slice('contract://'.length),
            ...(index === 0 && displayed),
          })),
          params,
        )
      case 'resources/templates/list':
        return toPage(
          'resourceTemplates',
          resourceTemplates.map((uriTemplate, index) => ({
            uriTemplate,
            name: uriTemplate,
            ...(index === 0 && displayed),
          })),
          params,
        )
      case 'resources/read':
        return readResource(offer, String(params.uri))
      case 'prompts/list':
        return toPage('prompts', offer.prompts.map(describePrompt), params)
      case 'prompts/get':
        return getPrompt(offer, String(params.name), (params.arguments ?? {}) as Params)
      case 'completion/complete':
        return complete(params as Completion)
      default: {
        const answer = await answerSkills(method, params)
        if (!answer) throw createRpcError(methodNotFound, `no such method: ${method}`)
        return answer
      }
    }
  }
}

function toPage(key: string, items: object[], params: Params): Params {
  const start = params.cursor === undefined ? 0 : Number(/^from-(\d+)$/.exec(String(params.cursor))?.[1] ?? Number.NaN)
  if (Number.isNaN(start)) throw createRpcError(invalidParams, `no such cursor: ${params.cursor}`)
  const end = start + pageSize
  return { [key]: items.slice(start, end), ...(end < items.length && { nextCursor: `from-${end}` }) }
}

function readResource(offer: Offer, uri: string): Params {
  if (uri === textResource.uri) return { contents: [textResource], _meta: resultMeta }
  if (uri === blobResource.uri)
    return { contents: [{ ...blobResource, blob: Buffer.from(knownBytes.blob).toString('base64') }] }
  const file = readSkillFile(uri)
  if (file) return { contents: [file] }
  if (offer.resources.includes(uri)) return { contents: [{ uri, mimeType: 'text/plain', text: uri }] }
  throw createRpcError(invalidParams, `no such resource: ${uri}`, { uri })
}

function describePrompt(name: string): object {
  const described = { name, description: `Prompt ${name}.` }
  if (name !== 'greet') return { ...described, arguments: [] }
  return { ...described, ...displayed, arguments: [{ name: 'who', title: 'Whom to greet', required: true }] }
}

function getPrompt(offer: Offer, name: string, args: Params): Params {
  if (!offer.prompts.includes(name)) throw createRpcError(invalidParams, `no such prompt: ${name}`)
  const words = { type: 'text', text: name === 'greet' ? `Greet ${args.who}.` : name }
  const picture = { type: 'image', mimeType: 'image/png', data: Buffer.from(knownBytes.image).toString('base64') }
  const messages = [{ role: 'user', content: words }]
  return {
    description: `Prompt ${name}.`,
    messages: name === 'show' ? [...messages, { role: 'assistant', content: picture }] : messages,
    ...(name === 'greet' && { _meta: resultMeta }),
  }
}

interface Completion {
  ref?: { type: string }
  argument?: { value?: string }
  context?: { arguments?: Record<string, string> }
}

function complete({ ref, argument, context }: Completion): Params {
  const forPrompt = context?.arguments?.lang === 'de' ? completions.german : completions.prompt
  const all: readonly string[] = ref?.type === 'ref/resource' ? completions.resource : forPrompt
  const values = all.filter((value) => value.startsWith(argument?.value ?? ''))
  return { completion: { values, total: values.length, hasMore: false } }
}
