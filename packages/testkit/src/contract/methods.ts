import {
  blobResource,
  knownBytes,
  pageSize,
  promptNames,
  resourceTemplates,
  resourceUris,
  textResource,
} from './fixtures.js'
import { type ContractTool, createRpcError, type ToolContext } from './tools.js'

type Params = Record<string, unknown>

/** Answers MCP methods, for either era's SDK. */
export type AnswerMethod = (method: string, params: Params, context: ToolContext) => Promise<Params>

const invalidParams = -32602
const methodNotFound = -32601

/** @param onCall - Told of each tool that begins, and of each that is told to stop while it runs. */
export function createMethods(
  tools: ReadonlyMap<string, ContractTool>,
  onCall: (kind: 'call' | 'aborted', tool: string) => void,
): AnswerMethod {
  async function callTool(name: string, params: Params, context: ToolContext): Promise<Params> {
    const tool = tools.get(name)
    if (!tool) throw createRpcError(invalidParams, `unknown tool: ${name}`)
    onCall('call', name)
    const stopped = () => onCall('aborted', name)
    context.signal.addEventListener('abort', stopped)
    try {
      return await tool.run((params.arguments ?? {}) as Params, context)
    } finally {
      context.signal.removeEventListener('abort', stopped)
    }
  }
  return async (method, params, context) => {
    switch (method) {
      case 'tools/list':
        return toPage(
          'tools',
          [...tools].map(([name, { run: _run, ...tool }]) => ({ name, ...tool })),
          params,
        )
      case 'tools/call':
        return callTool(String(params.name), params, context)
      case 'resources/list':
        return toPage(
          'resources',
          resourceUris.map((uri) => ({ uri, name: uri.slice('contract://'.length) })),
          params,
        )
      case 'resources/templates/list':
        return toPage(
          'resourceTemplates',
          resourceTemplates.map((uriTemplate) => ({ uriTemplate, name: uriTemplate })),
          params,
        )
      case 'resources/read':
        return readResource(String(params.uri))
      case 'prompts/list':
        return toPage('prompts', promptNames.map(describePrompt), params)
      case 'prompts/get':
        return getPrompt(String(params.name), (params.arguments ?? {}) as Params)
      case 'completion/complete':
        return complete((params.argument ?? {}) as Params)
      default:
        throw createRpcError(methodNotFound, `no such method: ${method}`)
    }
  }
}

function toPage(key: string, items: object[], params: Params): Params {
  const start = params.cursor === undefined ? 0 : Number(/^from-(\d+)$/.exec(String(params.cursor))?.[1] ?? Number.NaN)
  if (Number.isNaN(start)) throw createRpcError(invalidParams, `no such cursor: ${params.cursor}`)
  const end = start + pageSize
  return { [key]: items.slice(start, end), ...(end < items.length && { nextCursor: `from-${end}` }) }
}

function readResource(uri: string): Params {
  if (uri === textResource.uri) return { contents: [textResource] }
  if (uri === blobResource.uri)
    return { contents: [{ ...blobResource, blob: Buffer.from(knownBytes.blob).toString('base64') }] }
  if (resourceUris.includes(uri)) return { contents: [{ uri, mimeType: 'text/plain', text: uri }] }
  throw createRpcError(invalidParams, `no such resource: ${uri}`, { uri })
}

function describePrompt(name: string): object {
  return { name, description: `Prompt ${name}.`, arguments: name === 'greet' ? [{ name: 'who', required: true }] : [] }
}

function getPrompt(name: string, args: Params): Params {
  if (!promptNames.includes(name)) throw createRpcError(invalidParams, `no such prompt: ${name}`)
  const words = { type: 'text', text: name === 'greet' ? `Greet ${args.who}.` : name }
  const picture = { type: 'image', mimeType: 'image/png', data: Buffer.from(knownBytes.image).toString('base64') }
  const messages = [{ role: 'user', content: words }]
  return {
    description: `Prompt ${name}.`,
    messages: name === 'show' ? [...messages, { role: 'assistant', content: picture }] : messages,
  }
}

function complete(argument: Params): Params {
  const values = ['Ada', 'Alan', 'Grace'].filter((name) => name.startsWith(String(argument.value ?? '')))
  return { completion: { values, total: values.length, hasMore: false } }
}
