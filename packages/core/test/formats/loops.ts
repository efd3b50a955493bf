import type Anthropic from '@anthropic-ai/sdk'
import type { Content, GoogleGenAI } from '@google/genai'
import { generateText, type LanguageModel, type ModelMessage } from 'ai'
import * as ai6 from 'ai6'
import type OpenAI from 'openai'
import * as aiSdkFormat from '../../src/formats/ai-sdk.js'
import * as anthropicFormat from '../../src/formats/anthropic.js'
import * as googleFormat from '../../src/formats/google.js'
import type { ToolSource } from '../../src/formats/offered.js'
import * as openaiFormat from '../../src/formats/openai.js'

/** The loops of the formats' docstrings, line by line, each with its conversation. */
const model = 'scripted'

export async function chatLoop(openai: OpenAI, toolset: ToolSource): Promise<OpenAI.ChatCompletionMessageParam[]> {
  const { runToolCall, toTools } = openaiFormat
  const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: 'go' }]
  for (let step = 0; step < 10; step++) {
    const tools = await toTools(toolset)
    const { choices } = await openai.chat.completions.create({ model, messages, tools })
    const { message } = choices[0]!
    messages.push(message)
    if (!message.tool_calls?.length) break
    for (const call of message.tool_calls) messages.push(await runToolCall(toolset, call))
  }
  return messages
}

export async function responsesLoop(
  openai: OpenAI,
  toolset: ToolSource,
): Promise<OpenAI.Responses.ResponseInputItem[]> {
  const { runToolCall, toTools } = openaiFormat
  const input: OpenAI.Responses.ResponseInputItem[] = [{ role: 'user', content: 'go' }]
  for (let step = 0; step < 10; step++) {
    const tools = await toTools(toolset, { api: 'responses' })
    const { output } = await openai.responses.create({ model, input, tools })
    input.push(...(output as typeof input))
    const calls = output.filter((item) => item.type === 'function_call')
    if (calls.length === 0) break
    for (const call of calls) input.push(await runToolCall(toolset, call))
  }
  return input
}

export async function messagesLoop(anthropic: Anthropic, toolset: ToolSource): Promise<Anthropic.MessageParam[]> {
  const { runToolCall, toTools } = anthropicFormat
  const messages: Anthropic.MessageParam[] = [{ role: 'user', content: 'go' }]
  for (let step = 0; step < 10; step++) {
    const tools = await toTools(toolset)
    const { content } = await anthropic.messages.create({ model, max_tokens: 1024, messages, tools })
    messages.push({ role: 'assistant', content })
    const results = []
    for (const block of content) if (block.type === 'tool_use') results.push(await runToolCall(toolset, block))
    if (results.length === 0) break
    messages.push({ role: 'user', content: results })
  }
  return messages
}

export async function geminiLoop(gemini: GoogleGenAI, toolset: ToolSource): Promise<Content[]> {
  const { runToolCall, toTools } = googleFormat
  const contents: Content[] = [{ role: 'user', parts: [{ text: 'go' }] }]
  for (let step = 0; step < 10; step++) {
    const config = { tools: await toTools(toolset) }
    const { candidates, functionCalls = [] } = await gemini.models.generateContent({ model, contents, config })
    contents.push(...(candidates ?? []).flatMap(({ content }) => content ?? []))
    const parts = []
    for (const call of functionCalls) parts.push(await runToolCall(toolset, call))
    if (parts.length === 0) break
    contents.push({ role: 'user', parts })
  }
  return contents
}

export async function aiSdkLoop(model: LanguageModel, toolset: ToolSource): Promise<ModelMessage[]> {
  const { toTools } = aiSdkFormat
  const messages: ModelMessage[] = [{ role: 'user', content: 'go' }]
  for (let step = 0; step < 10; step++) {
    const tools = await toTools(toolset)
    const { finishReason, responseMessages } = await generateText({ model, messages, tools })
    messages.push(...responseMessages)
    if (finishReason !== 'tool-calls') break
  }
  return messages
}

/** The same with version 6, whose generateText takes other tools and answers with other messages. */
export async function aiSdk6Loop(model: ai6.LanguageModel, toolset: ToolSource): Promise<ai6.ModelMessage[]> {
  const { toTools } = aiSdkFormat
  const messages: ai6.ModelMessage[] = [{ role: 'user', content: 'go' }]
  for (let step = 0; step < 10; step++) {
    const tools = await toTools(toolset, { version: 6 })
    const { finishReason, response } = await ai6.generateText({ model, messages, tools })
    messages.push(...response.messages)
    if (finishReason !== 'tool-calls') break
  }
  return messages
}
