/** Tools and results in the shapes of Anthropic's Messages API. Nothing of its package is imported. */
import { encodeBase64 } from '../content/base64.js'
import { type BlockForModel, labelFor, type ModelOutputOptions } from '../content/model-output.js'
import type { McpError } from '../errors.js'
import type { CallToolResult, Json } from '../protocol.js'
import { blockFile, blockText } from './block-parts.js'
import { fileName } from './file-name.js'
import { type FormatOptions, offeredTools, type ToolSource } from './offered.js'
import { type CallOptions, runCall } from './run-call.js'
import { toTold } from './told.js'

export type { FormatFinding, ToolSource } from './offered.js'

export interface AnthropicTool {
  name: string
  description?: string
  input_schema: { type: 'object'; [keyword: string]: Json }
  cache_control?: { type: 'ephemeral' }
}

/** A call in a message's content. */
export interface AnthropicCall {
  type: 'tool_use'
  id: string
  name: string
  input: unknown
}

export interface AnthropicResult {
  type: 'tool_result'
  tool_use_id: string
  /** Absent of a result with nothing in it: an empty text is refused. */
  content?: string | AnthropicPart[]
  is_error?: true
}

export type AnthropicPart =
  | { type: 'text'; text: string }
  | { type: 'image'; source: { type: 'base64'; media_type: AnthropicImageType; data: string } }
  | { type: 'document'; source: { type: 'base64'; media_type: 'application/pdf'; data: string }; title: string }

export type AnthropicImageType = (typeof imageTypes)[number]

/** @see {@link https://platform.claude.com/docs/en/build-with-claude/vision} */
const imageTypes = ['image/jpeg', 'image/png', 'image/gif', 'image/webp'] as const
/** Characters of base64, of one image. */
const maxImageLength = 10 * 1024 * 1024
/** Characters of base64: of a whole request, so that no larger document can be sent. */
const maxRequestLength = 32 * 1024 * 1024

/** Audio is always left out, with a line that says so. */
export type AnthropicResultOptions = Omit<ModelOutputOptions, 'audio'>

export interface AnthropicToolOptions extends FormatOptions {
  /** Marks the end of the tools as cached with what is before it. Default false. */
  cache?: boolean
}

/**
 * Every tool of a source, for `tools` of `messages.create`.
 *
 * @returns The tools of this moment; call it again at each step for a live list.
 * @throws What `listTools` throws, where the source is one server.
 * @see {@link https://platform.claude.com/docs/en/agents-and-tools/tool-use/define-tools}
 * @example
 * ```ts
 * for (let step = 0; step < 10; step++) {
 *   const tools = await toTools(toolset)
 *   const { content } = await anthropic.messages.create({ model, max_tokens: 1024, messages, tools })
 *   messages.push({ role: 'assistant', content })
 *   const results = []
 *   for (const block of content) if (block.type === 'tool_use') results.push(await runToolCall(toolset, block))
 *   if (results.length === 0) break
 *   messages.push({ role: 'user', content: results })
 * }
 * ```
 */
export async function toTools(source: ToolSource, options: AnthropicToolOptions = {}): Promise<AnthropicTool[]> {
  const offered = await offeredTools(source, 'anthropic', options)
  return offered.map(({ name, description, inputSchema }, index) => ({
    name,
    ...(description && { description }),
    input_schema: { ...inputSchema, type: 'object' },
    ...(options.cache && index === offered.length - 1 && { cache_control: { type: 'ephemeral' } }),
  }))
}

/**
 * The outcome of a call as Anthropic's models read it: text, images (JPEG, PNG, GIF, WebP; at most 10 MiB of base64) and
 * PDF documents. Of anything else the model reads a label, and `onLoss` is told. On Bedrock and Google Cloud images have
 * half the limit, which `budget.blockBytes` keeps.
 *
 * @param call - The `tool_use` block's `id` and `name`.
 * @see {@link https://platform.claude.com/docs/en/agents-and-tools/tool-use/handle-tool-calls}
 */
export function toToolResult(
  call: { id: string; name: string },
  outcome: CallToolResult | McpError,
  given: AnthropicResultOptions = {},
): AnthropicResult {
  const options = { tool: call.name, ...given }
  const told = toTold(outcome, options)
  const result = { type: 'tool_result' as const, tool_use_id: call.id }
  // Of an error, text is all that is taken.
  if ('failed' in told) return { ...result, content: told.failed, is_error: true }
  const parts = told.blocks
    .map((each) => toPart(each, options))
    .filter((part) => part.type !== 'text' || part.text.trim())
  if (parts.length === 0) return result
  const texts = parts.flatMap((part) => (part.type === 'text' ? [part.text] : []))
  return { ...result, content: texts.length < parts.length ? parts : texts.join('\n') }
}

/**
 * Runs a model's call, and gives what to tell it. A call that fails is told to the model, as are arguments that can't be
 * read, and a tool that isn't there.
 *
 * @param call - The `tool_use` block as Anthropic gave it.
 * @throws The caller's `signal.reason` when aborted, and what `onLoss` throws; nothing else.
 */
export async function runToolCall(
  source: ToolSource,
  call: AnthropicCall,
  options: CallOptions & AnthropicResultOptions = {},
): Promise<AnthropicResult> {
  const { outcome, ...about } = await runCall(source, { name: call.name, arguments: call.input }, 'anthropic', options)
  return toToolResult(call, outcome, { ...about, ...options })
}

function toPart(each: BlockForModel, options: AnthropicResultOptions): AnthropicPart {
  const text = blockText(each.block)
  if (text !== undefined) return { type: 'text', text }
  const label = (reason: string): AnthropicPart => ({ type: 'text', text: labelFor(each, reason, options) })
  const file = blockFile(each.block)
  if (!file) return label('of an unknown type')
  const { mimeType, bytes, uri } = file
  const length = Math.ceil(bytes.byteLength / 3) * 4
  const source = <Type extends string>(media_type: Type) => ({
    type: 'base64' as const,
    media_type,
    data: encodeBase64(bytes),
  })
  const imageType = imageTypes.find((type) => type === mimeType)
  if (imageType) {
    if (length > maxImageLength) return label('Anthropic takes images of at most 10 MB')
    return { type: 'image', source: source(imageType) }
  }
  if (mimeType !== 'application/pdf') return label(`Anthropic takes no ${mimeType} from tools`)
  if (length > maxRequestLength) return label('Anthropic takes at most 32 MB at once')
  return { type: 'document', source: source(mimeType), title: fileName(uri, 'pdf') }
}
