import type { CompletionReference, JsonObject } from '../protocol.js'
import { toLocalResult } from '../toolset/local-result.js'
import type { TestCall } from './call.js'
import type { TestContent, TestOffer, TestPrompt, TestResource, TestTool } from './offer.js'
import { invalidParams, methodNotFound, RpcError, resourceNotFound } from './rpc.js'
import { toWireBlock, toWireContents, toWireResult } from './wire-content.js'

/** Answers the methods that both eras have. */
export type AnswerMethod = (method: string, params: JsonObject, call: TestCall) => object | Promise<object>

/** Whether the answer to this method may be kept by a client, and says for how long. */
export const isKept = (method: string): boolean => method.endsWith('/list') || method === 'resources/read'

/**
 * @param offer - As it is at the time of each request.
 * @param onRun - Told of each tool that runs.
 */
export function createMethods(offer: () => TestOffer, pageSize: number, onRun: (tool: string) => void): AnswerMethod {
  function page(key: string, items: readonly object[], { cursor }: JsonObject): object {
    const start = cursor === undefined ? 0 : Number(cursor)
    if (!Number.isInteger(start) || start < 0) throw new RpcError(invalidParams, `No page begins at "${cursor}"`)
    const end = start + pageSize
    return { [key]: items.slice(start, end), ...(end < items.length && { nextCursor: String(end) }) }
  }

  async function callTool({ name, arguments: args }: JsonObject, call: TestCall): Promise<object> {
    const tool = offer().tools?.find((candidate) => candidate.name === name)
    if (!tool) throw new RpcError(invalidParams, `Unknown tool: ${name}`)
    onRun(tool.name)
    try {
      return toWireResult(toLocalResult(await tool.execute?.((args ?? {}) as JsonObject, call)))
    } catch (error) {
      if (error instanceof RpcError) throw error
      const text = error instanceof Error ? error.message : String(error)
      return { content: [{ type: 'text', text }], isError: true }
    }
  }

  async function readResource(uri: string, call: TestCall): Promise<object> {
    const listed = offer().resources?.find((candidate) => candidate.uri === uri)
    const content = listed ? await contentOf(listed, call) : await offer().read?.(uri, call)
    if (content === undefined)
      throw new RpcError(call.era === 'modern' ? invalidParams : resourceNotFound, 'Resource not found', { uri })
    const holder = typeof content === 'string' ? { text: content } : { blob: content }
    return { contents: [toWireContents({ uri, ...(listed?.mimeType && { mimeType: listed.mimeType }), ...holder })] }
  }

  async function getPrompt({ name, arguments: args }: JsonObject, call: TestCall): Promise<object> {
    const prompt = offer().prompts?.find((candidate) => candidate.name === name)
    if (!prompt) throw new RpcError(invalidParams, `Unknown prompt: ${name}`)
    const given = await prompt.get((args ?? {}) as Record<string, string>, call)
    const messages =
      typeof given === 'string' ? [{ role: 'user' as const, content: { type: 'text' as const, text: given } }] : given
    return {
      ...(prompt.description && { description: prompt.description }),
      messages: messages.map(({ role, content }) => ({ role, content: toWireBlock(content) })),
    }
  }

  function complete({ ref, argument }: JsonObject): object {
    const values = offer().complete?.(
      ref as unknown as CompletionReference,
      argument as unknown as { name: string; value: string },
    )
    if (!values) throw new RpcError(methodNotFound, 'Method not found')
    // The protocol's limit of one answer.
    return { completion: { values: values.slice(0, 100), total: values.length, hasMore: values.length > 100 } }
  }

  return (method, params, call) => {
    switch (method) {
      case 'tools/list':
        return page('tools', (offer().tools ?? []).map(toTool), params)
      case 'tools/call':
        return callTool(params, call)
      case 'resources/list':
        return page('resources', (offer().resources ?? []).map(toResource), params)
      case 'resources/templates/list':
        return page('resourceTemplates', offer().resourceTemplates ?? [], params)
      case 'resources/read':
        return readResource(String(params.uri), call)
      case 'prompts/list':
        return page('prompts', (offer().prompts ?? []).map(toPrompt), params)
      case 'prompts/get':
        return getPrompt(params, call)
      case 'completion/complete':
        return complete(params)
      default:
        throw new RpcError(methodNotFound, 'Method not found')
    }
  }
}

const contentOf = ({ content }: TestResource, call: TestCall): TestContent | Promise<TestContent> =>
  typeof content === 'function' ? content(call) : content

const toTool = ({ execute: _, inputSchema = { type: 'object' }, ...tool }: TestTool): object => ({
  ...tool,
  inputSchema,
})
const toResource = ({ content: _, name, ...resource }: TestResource): object => ({
  ...resource,
  name: name ?? resource.uri,
})
const toPrompt = ({ get: _, ...prompt }: TestPrompt): object => prompt
