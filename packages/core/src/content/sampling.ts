import type { Finding, Json, JsonObject, SamplingContent, SamplingMessage, SamplingRequest } from '../protocol.js'
import { encodeBase64 } from './base64.js'
import { decodeBlock } from './decode.js'

/** What a server wants of a model, but for who asks. */
export type SamplingParams = Omit<SamplingRequest, 'server' | 'tool'>

/** Optional members, and whether a value can be theirs; what can't is left out. */
const optional: Readonly<Record<string, (value: unknown) => boolean>> = {
  systemPrompt: isString,
  temperature: (value) => typeof value === 'number',
  stopSequences: (value) => Array.isArray(value) && value.every(isString),
  modelPreferences: isObject,
  includeContext: isString,
  metadata: isObject,
  tools: (value) => Array.isArray(value) && value.every((tool) => isObject(tool) && isString(tool.name)),
  toolChoice: isObject,
  _meta: isObject,
}

/** A request for sampling with its binary content as bytes; undefined when it lacks what makes it one. */
export function decodeSampling(params: JsonObject, findings: Finding[]): SamplingParams | undefined {
  const { messages, maxTokens } = params
  if (!Array.isArray(messages) || typeof maxTokens !== 'number' || !messages.every(isMessage)) return undefined
  const members = Object.entries(optional).filter(([name, fits]) => Object.hasOwn(params, name) && fits(params[name]))
  return {
    messages: messages.map((message, index) => decodeMessage(message as JsonObject, `/messages/${index}`, findings)),
    maxTokens,
    ...Object.fromEntries(members.map(([name]) => [name, params[name]])),
  }
}

const isMessage = (value: Json) =>
  isObject(value) && (value.role === 'user' || value.role === 'assistant') && typeof value.content === 'object'

function decodeMessage(message: JsonObject, path: string, findings: Finding[]): SamplingMessage {
  const { content } = message
  return {
    ...(message as { role: SamplingMessage['role'] }),
    content: Array.isArray(content)
      ? content.map((block, index) => decodeContent(block, `${path}/content/${index}`, findings))
      : decodeContent(content!, `${path}/content`, findings),
  }
}

function decodeContent(raw: Json, path: string, findings: Finding[]): SamplingContent {
  if (isToolUse(raw)) return raw as SamplingContent
  if (!isToolResult(raw)) return decodeBlock(raw, path, findings)
  const content = (raw.content as Json[]).map((block, index) =>
    decodeBlock(block, `${path}/content/${index}`, findings),
  )
  return { ...(raw as object), content } as SamplingContent
}

/** Content of a model's answer as it is sent, bytes as base64; undefined when it is no content. */
export function encodeSampling(content: unknown): Json | undefined {
  if (!Array.isArray(content)) return encodeContent(content)
  const blocks = content.map(encodeContent)
  if (blocks.length === 0 || blocks.includes(undefined)) return undefined
  // Earlier revisions know one block only.
  return blocks.length === 1 ? blocks[0] : (blocks as Json[])
}

function encodeContent(value: unknown): Json | undefined {
  if (!isObject(value)) return undefined
  const block = value as JsonObject & { data?: unknown }
  switch (block.type) {
    case 'text':
      return isString(block.text) ? block : undefined
    case 'image':
    case 'audio':
      return isString(block.mimeType) && block.data instanceof Uint8Array
        ? { ...block, data: encodeBase64(block.data) }
        : undefined
    case 'resource_link':
      return isString(block.uri) ? block : undefined
    case 'resource':
      return encodeResource(block)
    case 'tool_use':
      return isToolUse(block) ? block : undefined
    case 'tool_result': {
      const content = isToolResult(block) ? (block.content as unknown[]).map(encodeContent) : [undefined]
      return content.includes(undefined) ? undefined : { ...(block as JsonObject), content: content as Json[] }
    }
    // A block that came in that way.
    case 'unknown':
      return block.raw
    default:
      return undefined
  }
}

function encodeResource(block: JsonObject): Json | undefined {
  const resource = block.resource as (JsonObject & { blob?: unknown }) | undefined
  if (!isObject(resource) || !isString(resource.uri)) return undefined
  if (isString(resource.text)) return block
  const { blob } = resource as { blob?: unknown }
  return blob instanceof Uint8Array ? { ...block, resource: { ...resource, blob: encodeBase64(blob) } } : undefined
}

const isToolUse = (value: unknown): value is JsonObject =>
  isObject(value) && value.type === 'tool_use' && isString(value.id) && isString(value.name) && isObject(value.input)

const isToolResult = (value: unknown): value is JsonObject =>
  isObject(value) && value.type === 'tool_result' && isString(value.toolUseId) && Array.isArray(value.content)

function isString(value: unknown): value is string {
  return typeof value === 'string'
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
