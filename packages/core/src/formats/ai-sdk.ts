/**
 * Tools and results in the shape of the Vercel AI SDK (`ai`), version 7. Nothing of it is imported. Version 6 takes the
 * same tools, but drops images and PDF files from results.
 */
import { blocksForModel, describeBlock, leftOut, toolError, userOnlyLabel } from '../content/model-output.js'
import { McpError } from '../errors.js'
import type { CallToolResult, ContentBlock, JsonObject } from '../protocol.js'
import { type FormatOptions, type OfferedTool, offeredTools, type ToolSource } from './offered.js'

/** A JSON Schema as the AI SDK takes it, unchanged: arguments are the server's to check. */
export interface AiSchema {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: string
    readonly types?: { readonly input: JsonObject; readonly output: JsonObject }
    validate(value: unknown): { value: JsonObject }
    readonly jsonSchema: { input(): JsonObject; output(): JsonObject }
  }
}

export type AiToolOutput =
  | { type: 'text' | 'error-text'; value: string }
  | {
      type: 'content'
      value: (
        | { type: 'text'; text: string }
        | { type: 'file'; mediaType: string; data: { type: 'data'; data: Uint8Array }; filename?: string }
      )[]
    }

export interface AiTool {
  title: string
  description: string
  inputSchema: AiSchema
  execute(args: JsonObject, options?: { abortSignal?: AbortSignal | undefined }): Promise<CallToolResult>
  toModelOutput(options: { output: CallToolResult }): AiToolOutput
}

/**
 * Every tool of a tool set or of one server, for `tools` of `generateText` and `streamText`. The model's loop goes on
 * when a call fails: the SDK tells the model the error's message.
 *
 * @returns The tools of this moment by their names for models; call it again at each step for a live list.
 * @throws What `listTools` throws, where the source is one server.
 */
export async function toTools(source: ToolSource, options?: FormatOptions): Promise<Record<string, AiTool>> {
  const offered = await offeredTools(source, 'ai-sdk', options)
  return Object.fromEntries(offered.map((tool) => [tool.name, toTool(tool)]))
}

/**
 * The outcome of a call for the model: content, or the error's text.
 *
 * @param call - The call as the model made it.
 */
export function toToolResult(
  call: { id: string; name: string },
  outcome: CallToolResult | McpError,
): { type: 'tool-result'; toolCallId: string; toolName: string; output: AiToolOutput } {
  const output: AiToolOutput = McpError.is(outcome)
    ? { type: 'error-text', value: outcome.message }
    : toOutput(outcome, call.name)
  return { type: 'tool-result', toolCallId: call.id, toolName: call.name, output }
}

function toTool({ tool, title, description, inputSchema, execute }: OfferedTool): AiTool {
  return {
    title,
    description,
    inputSchema: toSchema(inputSchema),
    execute: (args, { abortSignal } = {}) => execute(args, abortSignal && { signal: abortSignal }),
    toModelOutput: ({ output }) => toOutput(output, tool.name),
  }
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

function toOutput(result: CallToolResult, tool: string): AiToolOutput {
  if (result.isError) return { type: 'error-text', value: toolError(result, { tool }).message }
  const blocks = blocksForModel(result, {})
  if (blocks === 'user-only') return { type: 'text', value: userOnlyLabel }
  const parts = blocks.map(({ block }) => toPart(block))
  if (parts.every((part) => part.type === 'text')) {
    return { type: 'text', value: parts.map((part) => part.text).join('\n') }
  }
  return { type: 'content', value: parts }
}

type Part = Extract<AiToolOutput, { type: 'content' }>['value'][number]

const text = (value: string): Part => ({ type: 'text', text: value })
const file = (mediaType: string, bytes: Uint8Array): Part => ({
  type: 'file',
  mediaType,
  data: { type: 'data', data: bytes },
})

function toPart(block: ContentBlock): Part {
  switch (block.type) {
    case 'text':
      return text(block.text)
    case 'image':
      return file(block.mimeType, block.data)
    case 'audio':
      return text(leftOut(describeBlock(block)))
    case 'resource_link':
      return text(`${block.title ?? block.name}: ${block.uri}${block.description ? ` (${block.description})` : ''}`)
    case 'resource': {
      const { resource } = block
      if ('text' in resource) return text(resource.text)
      const { mimeType = 'application/octet-stream', blob, uri } = resource
      if (mimeType.startsWith('image/') || mimeType === 'application/pdf') return file(mimeType, blob)
      return text(leftOut(`resource ${uri}, ${mimeType}, ${blob.byteLength} bytes`))
    }
    case 'unknown':
      return text(leftOut(describeBlock(block)))
  }
}
