/**
 * Tools and results in the shape of the Vercel AI SDK (`ai`), versions 7 and 6. Nothing of it is imported.
 *
 * @see {@link https://ai-sdk.dev/docs/ai-sdk-core/tools-and-tool-calling#multi-modal-tool-results}
 */
import { encodeBase64 } from '../content/base64.js'
import { type BlockForModel, errorText, labelFor, type ModelOutputOptions } from '../content/model-output.js'
import { fromErrorData, McpError, toErrorData } from '../errors.js'
import type { CallToolResult, JsonObject } from '../protocol.js'
import { type BlockFile, blockFile, blockText } from './block-parts.js'
import { fileName } from './file-name.js'
import { jsonSafe, reviveResult } from './json-result.js'
import { type FormatOptions, type OfferedTool, offeredTools, type ToolSource } from './offered.js'
import { unexpectedError } from './run-call.js'
import { toTold } from './told.js'

export type { FormatFinding, ToolSource } from './offered.js'

/** The AI SDK's major version. They differ in how a file in a result is written, and each drops the other's. */
export type AiVersion = 6 | 7

export interface AiResultOptions<Version extends AiVersion = AiVersion> extends Omit<ModelOutputOptions, 'audio'> {
  /** Default 7. */
  version?: Version
  /**
   * Default `placeholder`: a line that says what was left out. `keep` sends it as a file, which is for providers that
   * take audio from a tool: others drop it without a word, or refuse the request.
   */
  audio?: 'keep' | 'placeholder'
}

export interface AiToolsOptions<Version extends AiVersion = AiVersion>
  extends FormatOptions,
    Omit<AiResultOptions<Version>, 'tool' | 'server'> {}

/** A JSON Schema as the AI SDK takes it: arguments are the server's to check. */
export interface AiSchema {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: string
    readonly types?: { readonly input: JsonObject; readonly output: JsonObject }
    validate(value: unknown): { value: JsonObject }
    readonly jsonSchema: { input(): JsonObject; output(): JsonObject }
  }
}

/** An image or a PDF in a result; data are base64, since a page may keep the message as JSON. */
export interface AiFiles {
  7: { type: 'file'; mediaType: string; data: { type: 'data'; data: string }; filename?: string }
  6:
    | { type: 'image-data'; mediaType: string; data: string }
    | { type: 'file-data'; mediaType: string; data: string; filename?: string }
}

export type AiToolOutput<Version extends AiVersion = 7> =
  | { type: 'text' | 'error-text'; value: string }
  | { type: 'content'; value: ({ type: 'text'; text: string } | AiFiles[Version])[] }

export interface AiTool<Version extends AiVersion = 7> {
  title: string
  description: string
  inputSchema: AiSchema
  /** Its result has bytes in it, which JSON writes as base64. */
  execute(args: JsonObject, options?: { abortSignal?: AbortSignal | undefined }): Promise<CallToolResult>
  /** Takes the result of `execute`, also after JSON. */
  toModelOutput(options: { output: CallToolResult }): AiToolOutput<Version>
}

export interface AiToolResult<Version extends AiVersion = 7> {
  type: 'tool-result'
  toolCallId: string
  toolName: string
  output: AiToolOutput<Version>
}

/**
 * Every tool of a tool set or of one server, for `tools` of `generateText`, `streamText` and `convertToModelMessages`. The
 * model's loop goes on when a call fails: the SDK tells the model the error's message.
 *
 * @returns The tools of this moment by their names for models; call it again at each step for a live list.
 * @throws What `listTools` throws, where the source is one server.
 * @example
 * ```ts
 * for (let step = 0; step < 10; step++) {
 *   const tools = await toTools(toolset)
 *   const { finishReason, responseMessages } = await generateText({ model, messages, tools })
 *   messages.push(...responseMessages)
 *   if (finishReason !== 'tool-calls') break
 * }
 * ```
 */
export async function toTools<Version extends AiVersion = 7>(
  source: ToolSource,
  options: AiToolsOptions<Version> = {},
): Promise<Record<string, AiTool<Version>>> {
  const offered = await offeredTools(source, 'ai-sdk', options)
  return Object.fromEntries(offered.map((tool) => [tool.name, toTool(tool, options)]))
}

/**
 * The outcome of a call for the model: content, or the error's text.
 *
 * @param call - The call as the model made it.
 * @param outcome - The call's result, also one that JSON has brought back, or its error.
 */
export function toToolResult<Version extends AiVersion = 7>(
  call: { id: string; name: string },
  outcome: CallToolResult | McpError,
  options: AiResultOptions<Version> = {},
): AiToolResult<Version> {
  const output = toOutput(outcome, { tool: call.name, ...options })
  return { type: 'tool-result', toolCallId: call.id, toolName: call.name, output }
}

function toTool<Version extends AiVersion>(
  { name, tool, server, title, description, inputSchema, execute }: OfferedTool,
  options: AiToolsOptions<Version>,
): AiTool<Version> {
  const named = { ...options, tool: tool.name, ...(server !== undefined && { server }) }
  return {
    title,
    description,
    inputSchema: toSchema(inputSchema),
    async execute(args, { abortSignal } = {}) {
      try {
        return jsonSafe(await execute(args, abortSignal && { signal: abortSignal }))
      } catch (error) {
        if (abortSignal?.aborted) throw error
        throw McpError.is(error) ? withText(error, errorText(error, named)) : unexpectedError(name, error)
      }
    },
    toModelOutput: ({ output }) => toOutput(output, named),
  }
}

/** The SDK hands an error's message to the model as it is. */
function withText(error: McpError, message: string): Error {
  if (message === error.message) return error
  const { cause } = error
  return Object.assign(fromErrorData({ ...toErrorData(error), message }), cause !== undefined && { cause })
}

function toSchema(jsonSchema: JsonObject): AiSchema {
  const schema = {
    '~standard': {
      version: 1 as const,
      vendor: '@x/core',
      validate: (value: unknown) => ({ value: value as JsonObject }),
      jsonSchema: { input: () => jsonSchema, output: () => jsonSchema },
    },
    // Known by this symbol the schema is sent as it is; as a standard schema it would be closed to further properties.
    [Symbol.for('vercel.ai.schema')]: true,
    jsonSchema,
    validate: undefined,
  }
  return schema
}

function toOutput<Version extends AiVersion>(
  outcome: CallToolResult | McpError,
  options: AiResultOptions<Version>,
): AiToolOutput<Version> {
  const told = toTold(McpError.is(outcome) ? outcome : reviveResult(outcome), options)
  if ('failed' in told) return { type: 'error-text', value: told.failed }
  const parts = told.blocks.map((block) => toPart(block, options))
  if (parts.every((part) => typeof part === 'string')) return { type: 'text', value: parts.join('\n') }
  return {
    type: 'content',
    value: parts.map((part) => (typeof part === 'string' ? { type: 'text', text: part } : part)),
  }
}

function toPart<Version extends AiVersion>(
  each: BlockForModel,
  options: AiResultOptions<Version>,
): string | AiFiles[Version] {
  const text = blockText(each.block)
  if (text !== undefined) return text
  const file = blockFile(each.block)
  if (!file) return labelFor(each, 'unknown type', options)
  const isAudio = file.mimeType.startsWith('audio/')
  if (isAudio ? options.audio !== 'keep' : !taken.has(file.mimeType)) {
    return labelFor(each, isAudio ? 'audio' : `providers take no ${file.mimeType}`, options)
  }
  return files[options.version ?? 7](file) as AiFiles[Version]
}

/** What every provider takes that takes files from a tool at all; one refused image fails the whole request. */
const taken = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'application/pdf'])

const files: { [Version in AiVersion]: (file: BlockFile) => AiFiles[Version] } = {
  7: ({ mimeType, bytes, uri }) => ({
    type: 'file',
    mediaType: mimeType,
    data: { type: 'data', data: encodeBase64(bytes) },
    ...nameOf(mimeType, uri),
  }),
  6: ({ mimeType, bytes, uri }) =>
    mimeType.startsWith('image/')
      ? { type: 'image-data', mediaType: mimeType, data: encodeBase64(bytes) }
      : { type: 'file-data', mediaType: mimeType, data: encodeBase64(bytes), ...nameOf(mimeType, uri) },
}

/** Documents are known by their name. */
const nameOf = (mimeType: string, uri: string | undefined) =>
  mimeType === 'application/pdf' && { filename: fileName(uri, 'pdf') }
