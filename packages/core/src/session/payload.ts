import { InvalidResponseError } from '../errors.js'
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

/** What the engine reads itself. */
const readByEngine = new Set(['initialize', 'server/discover', 'subscriptions/listen'])

/**
 * Wraps a result so that the engine hands it through unseen. Its schemas take a result whole or not at all: one tool
 * among a hundred that lacks a field, or one block of a type to come, would cost the rest. We look at results item by
 * item, and at those that are not final (`input_required`, a task) by `resultType`.
 */
export function wrapResult(
  reply: JsonRpcMessage,
  method: string,
  era: Era,
  report: (finding: Finding) => void,
): JsonRpcMessage {
  const { result } = reply as { result?: JsonObject }
  if (!result || readByEngine.has(method)) return reply
  const envelope = Object.hasOwn(envelopes, method) ? envelopes[method] : {}
  const { resultType, ...final } = result
  const isFinal = era === 'legacy' || resultType == null || resultType === 'complete'
  if (era === 'modern' && resultType == null)
    report({
      code: 'mended',
      message: `The result of ${method} does not say its type and is taken as complete`,
      path: '/resultType',
    })
  const payload = isFinal ? final : result
  return {
    ...reply,
    result: { ...envelope, resultType: 'complete', ttlMs: 0, cacheScope: 'private', _meta: { [key]: payload } },
  }
}

/** The result that {@link wrapResult} wrapped, as the server sent it; only what is not final still says its `resultType`. */
export function unwrapResult(result: JsonObject): JsonObject {
  return ((result._meta as JsonObject | undefined)?.[key] as JsonObject | undefined) ?? result
}

/** @throws {InvalidResponseError} `ERR_MCP_INVALID_RESPONSE` when it is no result, but a task or what nobody knows. */
export function finalResult(result: JsonObject): JsonObject {
  if (result.resultType === undefined) return result
  const type = JSON.stringify(result.resultType).slice(0, 60)
  throw new InvalidResponseError(`The server answers with a result of type ${type}, which has no place here`, {
    data: { reason: 'result-type' },
  })
}
