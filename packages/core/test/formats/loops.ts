import type Anthropic from '@anthropic-ai/sdk'
import type OpenAI from 'openai'
import * as anthropicFormat from '../../src/formats/anthropic.js'
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
