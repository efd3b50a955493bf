/**
 * Tools and results in the shapes of OpenAI's two APIs, Chat Completions and Responses. Nothing of its package is
 * imported.
 */
import { encodeBase64 } from '../content/base64.js'
import { type BlockForModel, labelFor, type ModelOutputOptions } from '../content/model-output.js'
import type { McpError } from '../errors.js'
import type { CallToolResult } from '../protocol.js'
import { undoStrict } from '../schema/undo-strict.js'
import { blockFile, blockText } from './block-parts.js'
import { fileName } from './file-name.js'
import { type FormatOptions, offeredTools, type ToolSource } from './offered.js'
import { fileExtensions, imageTypes, maxFileBytes } from './openai-files.js'
import type {
  OpenAiChatCall,
  OpenAiChatResult,
  OpenAiChatTool,
  OpenAiResponsesCall,
  OpenAiResponsesPart,
  OpenAiResponsesResult,
  OpenAiResponsesTool,
} from './openai-shapes.js'
import { type CallOptions, runCall } from './run-call.js'
import { toTold } from './told.js'

export type { FormatFinding, ToolSource } from './offered.js'
export type * from './openai-shapes.js'

/** Chat Completions, or Responses. */
export type OpenAiApi = 'chat' | 'responses'

export interface OpenAiToolOptions extends FormatOptions {
  api?: OpenAiApi
  /**
   * Whether models are held to the tools' schemas. A tool whose schema OpenAI's strict mode can't express is offered
   * without it, and `onFinding` is told (`not-strict`). Default false.
   */
  strict?: boolean
}

type For<Api extends OpenAiApi, Options> = Options & (Api extends 'chat' ? { api?: 'chat' } : { api: Api })

/**
 * Every tool of a source, for `tools` of `chat.completions.create` or `responses.create`. OpenAI takes no empty list:
 * leave `tools` out where there are none. Models that take no more than 128 tools are served by `toolset.search`.
 *
 * @param options.api - Whose shape: `chat` (default) or `responses`.
 * @returns The tools of this moment; call it again at each step for a live list.
 * @throws What `listTools` throws, where the source is one server.
 * @see {@link https://developers.openai.com/api/docs/guides/function-calling}
 * @example
 * ```ts
 * for (let step = 0; step < 10; step++) {
 *   const tools = await toTools(toolset)
 *   const { choices } = await openai.chat.completions.create({ model, messages, tools })
 *   const { message } = choices[0]!
 *   messages.push(message)
 *   if (!message.tool_calls?.length) break
 *   for (const call of message.tool_calls) messages.push(await runToolCall(toolset, call))
 * }
 * ```
 * @example
 * ```ts
 * for (let step = 0; step < 10; step++) {
 *   const tools = await toTools(toolset, { api: 'responses' })
 *   const { output } = await openai.responses.create({ model, input, tools })
 *   input.push(...(output as typeof input))
 *   const calls = output.filter((item) => item.type === 'function_call')
 *   if (calls.length === 0) break
 *   for (const call of calls) input.push(await runToolCall(toolset, call))
 * }
 * ```
 */
export function toTools(source: ToolSource, options?: For<'chat', OpenAiToolOptions>): Promise<OpenAiChatTool[]>
export function toTools(
  source: ToolSource,
  options: For<'responses', OpenAiToolOptions>,
): Promise<OpenAiResponsesTool[]>
export async function toTools(
  source: ToolSource,
  options: OpenAiToolOptions = {},
): Promise<OpenAiChatTool[] | OpenAiResponsesTool[]> {
  const { api = 'chat', strict } = options
  const offered = await offeredTools(source, strict ? 'openai-strict' : 'openai', options, 'openai')
  const functions = offered.map(({ name, description, inputSchema, profile }) => ({
    name,
    ...(description && { description }),
    parameters: inputSchema,
    strict: profile === 'openai-strict',
  }))
  return api === 'chat'
    ? functions.map((each): OpenAiChatTool => ({ type: 'function', function: each }))
    : functions.map((each): OpenAiResponsesTool => ({ type: 'function', ...each }))
}

/** Audio is always left out, with a line that says so. */
export interface OpenAiResultOptions extends Omit<ModelOutputOptions, 'audio'> {
  api?: OpenAiApi
}

/**
 * The outcome of a call as OpenAI's models read it. Chat Completions takes text alone from tools; Responses takes images
 * (PNG, JPEG, WebP, GIF) and files (PDF, office documents, text) as well. Of anything else the model reads a label, and
 * `onLoss` is told.
 *
 * @param call - The call's `id` (of Responses: its `call_id`) and the tool's name.
 * @param options.api - Whose shape: `chat` (default) or `responses`.
 * @see {@link https://developers.openai.com/api/docs/guides/function-calling}
 */
export function toToolResult(
  call: { id: string; name: string },
  outcome: CallToolResult | McpError,
  options?: For<'chat', OpenAiResultOptions>,
): OpenAiChatResult
export function toToolResult(
  call: { id: string; name: string },
  outcome: CallToolResult | McpError,
  options: For<'responses', OpenAiResultOptions>,
): OpenAiResponsesResult
export function toToolResult(
  call: { id: string; name: string },
  outcome: CallToolResult | McpError,
  { api = 'chat', ...given }: OpenAiResultOptions = {},
): OpenAiChatResult | OpenAiResponsesResult {
  const options = { tool: call.name, ...given }
  return api === 'chat'
    ? { role: 'tool', tool_call_id: call.id, content: toChatContent(outcome, options) }
    : { type: 'function_call_output', call_id: call.id, output: toResponsesOutput(outcome, options) }
}

/**
 * Runs a model's call, and gives what to tell it. Properties that strict mode made a model fill with `null` are left
 * out again. A call that fails is told to the model, as are arguments that can't be read, and a tool that isn't there.
 *
 * @param call - As OpenAI gave it: one of a message's `tool_calls`, or an output item of type `function_call`.
 * @throws The caller's `signal.reason` when aborted, and what `onLoss` throws; nothing else.
 */
export function runToolCall(
  source: ToolSource,
  call: OpenAiChatCall,
  options?: CallOptions & Omit<OpenAiResultOptions, 'api'>,
): Promise<OpenAiChatResult>
export function runToolCall(
  source: ToolSource,
  call: OpenAiResponsesCall,
  options?: CallOptions & Omit<OpenAiResultOptions, 'api'>,
): Promise<OpenAiResponsesResult>
export async function runToolCall(
  source: ToolSource,
  call: OpenAiChatCall | OpenAiResponsesCall,
  options: CallOptions & Omit<OpenAiResultOptions, 'api'> = {},
): Promise<OpenAiChatResult | OpenAiResponsesResult> {
  const { id, ...made } = readCall(call)
  const { outcome, ...about } = await runCall(source, made, 'openai', options, (args, { tool }) =>
    undoStrict(args, tool.inputSchema),
  )
  const told = { id, name: made.name }
  return call.type === 'function_call'
    ? toToolResult(told, outcome, { ...about, ...options, api: 'responses' })
    : toToolResult(told, outcome, { ...about, ...options, api: 'chat' })
}

function readCall(call: OpenAiChatCall | OpenAiResponsesCall): { id: string; name: string; arguments: string } {
  switch (call.type) {
    case 'function':
      return { id: call.id, name: call.function.name, arguments: call.function.arguments }
    // A tool of the app's own; no tool of a server is offered so.
    case 'custom':
      return { id: call.id, name: call.custom.name, arguments: call.custom.input }
    case 'function_call':
      return { id: call.call_id, name: call.name, arguments: call.arguments }
  }
}

/** What models are to be told of a call that gave nothing. */
const nothing = 'success'

function toChatContent(outcome: CallToolResult | McpError, options: OpenAiResultOptions): string {
  const told = toTold(outcome, options)
  if ('failed' in told) return told.failed
  const texts = told.blocks.map(
    (each) =>
      blockText(each.block) ?? labelFor(each, 'Chat Completions takes text from tools, and nothing else', options),
  )
  return texts.join('\n') || nothing
}

function toResponsesOutput(
  outcome: CallToolResult | McpError,
  options: OpenAiResultOptions,
): string | OpenAiResponsesPart[] {
  const told = toTold(outcome, options)
  if ('failed' in told) return told.failed
  const parts = told.blocks.map((each) => toPart(each, options))
  const texts = parts.flatMap((part) => (part.type === 'input_text' ? [part.text] : []))
  return texts.length < parts.length ? parts : texts.join('\n') || nothing
}

function toPart(each: BlockForModel, options: OpenAiResultOptions): OpenAiResponsesPart {
  const text = blockText(each.block)
  if (text !== undefined) return { type: 'input_text', text }
  const label = (reason: string): OpenAiResponsesPart => ({ type: 'input_text', text: labelFor(each, reason, options) })
  const file = blockFile(each.block)
  if (!file) return label('of an unknown type')
  const { mimeType, bytes, uri } = file
  const dataUrl = () => `data:${mimeType};base64,${encodeBase64(bytes)}`
  if (imageTypes.has(mimeType)) return { type: 'input_image', image_url: dataUrl(), detail: 'auto' }
  const extension = fileExtensions.get(mimeType)
  if (!extension) return label(`OpenAI takes no ${mimeType} from tools`)
  if (bytes.byteLength >= maxFileBytes) return label('OpenAI takes files of less than 50 MB')
  return { type: 'input_file', filename: fileName(uri, extension), file_data: dataUrl() }
}
