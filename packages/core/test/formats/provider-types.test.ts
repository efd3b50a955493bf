import type Anthropic from '@anthropic-ai/sdk'
import type OpenAI from 'openai'
import { expectTypeOf, test } from 'vitest'
import type { AnthropicCall, AnthropicResult, AnthropicTool } from '../../src/formats/anthropic.js'
import type {
  OpenAiChatCall,
  OpenAiChatResult,
  OpenAiChatTool,
  OpenAiResponsesCall,
  OpenAiResponsesPart,
  OpenAiResponsesResult,
  OpenAiResponsesTool,
} from '../../src/formats/openai.js'
import { runToolCall, toToolResult, toTools } from '../../src/formats/openai.js'

// Held by the compiler, against the providers' own packages.

test('what Chat Completions takes and gives', () => {
  expectTypeOf<OpenAiChatTool>().toExtend<OpenAI.ChatCompletionTool>()
  expectTypeOf<OpenAiChatTool>().toExtend<OpenAI.ChatCompletionFunctionTool>()
  expectTypeOf<OpenAiChatResult>().toExtend<OpenAI.ChatCompletionToolMessageParam>()
  expectTypeOf<OpenAI.ChatCompletionMessageToolCall>().toExtend<OpenAiChatCall>()
})

test('what Responses takes and gives', () => {
  expectTypeOf<OpenAiResponsesTool>().toExtend<OpenAI.Responses.FunctionTool>()
  expectTypeOf<OpenAiResponsesTool>().toExtend<OpenAI.Responses.Tool>()
  expectTypeOf<OpenAiResponsesResult>().toExtend<OpenAI.Responses.ResponseInputItem.FunctionCallOutput>()
  expectTypeOf<OpenAiResponsesPart>().toExtend<OpenAI.Responses.ResponseFunctionCallOutputItem>()
  expectTypeOf<OpenAI.Responses.ResponseFunctionToolCall>().toExtend<OpenAiResponsesCall>()
})

test('what Messages takes and gives', () => {
  expectTypeOf<AnthropicTool>().toExtend<Anthropic.Tool>()
  expectTypeOf<AnthropicTool>().toExtend<Anthropic.ToolUnion>()
  expectTypeOf<AnthropicResult>().toExtend<Anthropic.ToolResultBlockParam>()
  expectTypeOf<Anthropic.ToolUseBlock>().toExtend<AnthropicCall>()
})

test('the API that is named decides the shape', () => {
  expectTypeOf(toTools([])).resolves.toEqualTypeOf<OpenAiChatTool[]>()
  expectTypeOf(toTools([], { strict: true })).resolves.toEqualTypeOf<OpenAiChatTool[]>()
  expectTypeOf(toTools([], { api: 'responses' })).resolves.toEqualTypeOf<OpenAiResponsesTool[]>()
  const call = { id: '1', name: 'x' }
  const outcome = { content: [], findings: [] }
  expectTypeOf(toToolResult(call, outcome)).toEqualTypeOf<OpenAiChatResult>()
  expectTypeOf(toToolResult(call, outcome, { api: 'responses' })).toEqualTypeOf<OpenAiResponsesResult>()
  const runChat = (made: OpenAI.ChatCompletionMessageToolCall) => runToolCall([], made)
  expectTypeOf(runChat).returns.resolves.toEqualTypeOf<OpenAiChatResult>()
  const runResponses = (made: OpenAI.Responses.ResponseFunctionToolCall) => runToolCall([], made)
  expectTypeOf(runResponses).returns.resolves.toEqualTypeOf<OpenAiResponsesResult>()
})
