/** The shapes of OpenAI's APIs that tools and their results have. */
import type { JsonObject } from '../protocol.js'

/** A function that a model may call. */
interface OpenAiFunction {
  name: string
  description?: string
  parameters: JsonObject
  /** Always said: Responses takes silence for true, and makes every property required. */
  strict: boolean
}

/** A tool for Chat Completions. */
export interface OpenAiChatTool {
  type: 'function'
  function: OpenAiFunction
}

/** A tool for Responses. */
export interface OpenAiResponsesTool extends OpenAiFunction {
  type: 'function'
}

/** A call in a message of Chat Completions. */
export type OpenAiChatCall =
  | { id: string; type: 'function'; function: { name: string; arguments: string } }
  | { id: string; type: 'custom'; custom: { name: string; input: string } }

/** A call in the output of Responses. */
export interface OpenAiResponsesCall {
  type: 'function_call'
  call_id: string
  name: string
  arguments: string
}

/** A tool's message for Chat Completions, which takes text alone from tools. */
export interface OpenAiChatResult {
  role: 'tool'
  tool_call_id: string
  content: string
}

/** A tool's output for Responses: text, or parts where there is more than text. */
export interface OpenAiResponsesResult {
  type: 'function_call_output'
  call_id: string
  output: string | OpenAiResponsesPart[]
}

/** Images and files are data URLs. */
export type OpenAiResponsesPart =
  | { type: 'input_text'; text: string }
  | { type: 'input_image'; image_url: string; detail: 'auto' }
  | { type: 'input_file'; filename: string; file_data: string }
