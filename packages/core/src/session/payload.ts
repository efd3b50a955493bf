import type { Era, Finding, JsonObject } from '../protocol.js'
import type { JsonRpcMessage } from '../transport/json-rpc.js'

/** Where a result rides past the engine; a name that no server uses, since only we read it. */
const key = '@x/core/payload'

/** The least that the engine takes for a result of each method. */
const envelopes: Readonly<Record<string, object>> = {
  'tools/list': { tools: [] },
  'tools/call': { content: [] },
  'resources/list': { resources: [] },
  'resources/templates/list': { resourceTemplates: [] },
  'resources/read': { contents: [] },
  'prompts/list': { prompts: [] },
  'prompts/get': { messages: [] },
  'completion/complete': { completion: { values: [] } },
}

/**
 * Wraps a result so that the engine hands it through unseen. Its schemas take a result whole or not at all: one tool
 * among a hundred that lacks a field, or one block of a type to come, would cost the rest. We look at results item by
 * item. What is no final result (`input_required`, a task) is the engine's to handle and stays as it is.
 */
export function wrapResult(
  reply: JsonRpcMessage,
  method: string,
  era: Era,
  report: (finding: Finding) => void,
): JsonRpcMessage {
  const { result } = reply as { result?: JsonObject }
  const envelope = envelopes[method]
  if (!envelope || !result || (era === 'modern' && (result.resultType ?? 'complete') !== 'complete')) return reply
  if (era === 'modern' && result.resultType == null)
    report({
      code: 'mended',
      message: `The result of ${method} does not say its type and is taken as complete`,
      path: '/resultType',
    })
  return {
    ...reply,
    result: { ...envelope, resultType: 'complete', ttlMs: 0, cacheScope: 'private', _meta: { [key]: result } },
  }
}

/** The result that {@link wrapResult} wrapped, as the server sent it. */
export function unwrapResult(result: JsonObject): JsonObject {
  const payload = (result._meta as JsonObject | undefined)?.[key] as JsonObject | undefined
  if (!payload) return result
  // The wire's own, which the engine takes off every result.
  const { resultType: _, ...unwrapped } = payload
  return unwrapped
}
