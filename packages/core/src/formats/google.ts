/**
 * Tools and results in the shape of the Gemini API, as `@google/genai` takes them. Nothing of it is imported.
 *
 * @see {@link https://ai.google.dev/gemini-api/docs/function-calling}
 */
import { cleanText } from '../clean-text.js'
import { encodeBase64 } from '../content/base64.js'
import { labelFor, type ModelOutputOptions } from '../content/model-output.js'
import type { McpError } from '../errors.js'
import type { CallToolResult, JsonObject } from '../protocol.js'
import { type BlockFile, blockFile, blockText } from './block-parts.js'
import { type FormatOptions, offeredTools, type ToolSource } from './offered.js'
import { type CallOptions, runCall } from './run-call.js'
import { toTold } from './told.js'

export type { FormatFinding, ToolSource } from './offered.js'

export interface GoogleResultOptions extends Omit<ModelOutputOptions, 'audio'> {
  /**
   * Whether images and documents go along as files. Default true, which is for Gemini 3 and later; earlier models refuse a
   * request with such a result, so with false they get a line that says what was left out.
   */
  files?: boolean
  /** Default `placeholder`: a line that says what was left out. `keep` sends it all the same, where `files` may be sent. */
  audio?: 'keep' | 'placeholder'
}

/** A tool for `config.tools`: all functions in one. */
export interface GoogleTool {
  functionDeclarations: GoogleFunction[]
}

export interface GoogleFunction {
  name: string
  description: string
  parametersJsonSchema: JsonObject
}

/** A call as the model made it; a `FunctionCall` of the SDK. Only some models number their calls. */
export interface GoogleCall {
  id?: string
  name?: string
  args?: Record<string, unknown>
}

/** A part of the next message, whose role is `user`. */
export interface GoogleToolResult {
  functionResponse: {
    id?: string
    name: string
    response: { output: string } | { error: string }
    parts?: { inlineData: { mimeType: string; data: string } }[]
  }
}

/**
 * Every tool of a tool set or of one server, for `config.tools` of `generateContent`. Their names are at most 64 of the
 * characters that Gemini takes. Vertex AI takes at most 128 functions: hand over some of `toolset.tools` where there are more.
 *
 * @returns The tools of this moment: one with every function, or none. Call it again at each step for a live list.
 * @throws What `listTools` throws, where the source is one server.
 * @see {@link https://ai.google.dev/api/caching#FunctionDeclaration}
 * @see {@link https://docs.cloud.google.com/vertex-ai/generative-ai/docs/model-reference/function-calling}
 * @example
 * ```ts
 * for (let step = 0; step < 10; step++) {
 *   const config = { tools: await toTools(toolset) }
 *   const { candidates, functionCalls = [] } = await gemini.models.generateContent({ model, contents, config })
 *   contents.push(...(candidates ?? []).flatMap(({ content }) => content ?? []))
 *   const parts = []
 *   for (const call of functionCalls) parts.push(await runToolCall(toolset, call))
 *   if (parts.length === 0) break
 *   contents.push({ role: 'user', parts })
 * }
 * ```
 */
export async function toTools(source: ToolSource, options?: FormatOptions): Promise<GoogleTool[]> {
  const functionDeclarations = (await offeredTools(source, 'google', options)).map(
    // As JSON Schema: `parameters` is for a dialect of OpenAPI's, which can say less.
    ({ name, description, inputSchema }) => ({ name, description, parametersJsonSchema: inputSchema }),
  )
  // A tool without functions is refused.
  return functionDeclarations.length > 0 ? [{ functionDeclarations }] : []
}

/**
 * The outcome of a call for the model: its text as `output`, with the files beside it, or an `error`.
 *
 * @param call - The call as the model made it.
 * @see {@link https://ai.google.dev/gemini-api/docs/function-calling#multimodal}
 */
export function toToolResult(
  { id, name = '' }: Pick<GoogleCall, 'id' | 'name'>,
  outcome: CallToolResult | McpError,
  options: GoogleResultOptions = {},
): GoogleToolResult {
  return {
    functionResponse: { ...(id !== undefined && { id }), name, ...toResponse(outcome, { tool: name, ...options }) },
  }
}

/**
 * Runs a model's call and gives its outcome for the next message. A tool that there isn't, arguments that are no object and
 * every failure are told to the model.
 *
 * @param call - The call as the model made it, complete: not one whose arguments still stream.
 * @throws The caller's `signal.reason` when aborted, and what is thrown of its options: by `onLoss`, for a wrong `budget`.
 */
export async function runToolCall(
  source: ToolSource,
  call: GoogleCall,
  options: GoogleResultOptions & CallOptions = {},
): Promise<GoogleToolResult> {
  const { name = '', args } = call
  const { outcome, ...about } = await runCall(source, { name, arguments: args }, 'google', options)
  return toToolResult(call, outcome, { ...about, ...options })
}

type Response = Pick<GoogleToolResult['functionResponse'], 'response' | 'parts'>

function toResponse(outcome: CallToolResult | McpError, options: GoogleResultOptions): Response {
  const told = toTold(outcome, options)
  if ('failed' in told) return { response: { error: told.failed } }
  const parts: NonNullable<Response['parts']> = []
  const lines = told.blocks.map((each) => {
    const text = blockText(each.block)
    if (text !== undefined) return text
    const file = blockFile(each.block)
    if (!file) return labelFor(each, 'unknown type', options)
    const refused = refusal(file, options)
    if (refused) return labelFor(each, refused, options)
    parts.push({ inlineData: { mimeType: file.mimeType, data: encodeBase64(file.bytes) } })
    // Files stand apart from the text, so it says where they belong.
    return cleanText(`[File ${parts.length}: ${file.mimeType}${file.uri ? `, ${file.uri.slice(0, 200)}` : ''}]`)
  })
  return { response: { output: lines.join('\n') }, ...(parts.length > 0 && { parts }) }
}

/** What a function's response may hold. */
const taken = new Set(['image/png', 'image/jpeg', 'image/webp', 'application/pdf', 'text/plain'])
/** The API's limit for a PDF; that of a whole request is twice as high. */
const maxFileBytes = 50 * 2 ** 20

function refusal({ mimeType, bytes }: BlockFile, { files, audio }: GoogleResultOptions): string | undefined {
  const isAudio = mimeType.startsWith('audio/')
  if (files === false) return 'the model takes no files from a tool'
  if (isAudio ? audio !== 'keep' : !taken.has(mimeType))
    return isAudio ? 'audio' : `Gemini takes no ${mimeType} from a tool`
  return bytes.byteLength > maxFileBytes ? 'larger than Gemini takes' : undefined
}
