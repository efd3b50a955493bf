import Anthropic from '@anthropic-ai/sdk'
import { createScriptedEndpoint, type Said, type ScriptedEndpoint, type Step } from './scripted-endpoint.js'

/** Messages behind Anthropic's SDK. */
export function messagesEndpoint(...steps: Step[]): ScriptedEndpoint & { anthropic: Anthropic } {
  const endpoint = createScriptedEndpoint(steps, messagesReply)
  return { ...endpoint, anthropic: new Anthropic({ apiKey: 'key', fetch: endpoint.fetch, maxRetries: 0 }) }
}

export function messagesReply(said: Said): object {
  const content =
    typeof said === 'string'
      ? [{ type: 'text', text: said }]
      : said.map(([id, name, input = {}]) => ({ type: 'tool_use', id, name, input, caller: { type: 'direct' } }))
  return {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'scripted',
    content,
    stop_reason: typeof said === 'string' ? 'end_turn' : 'tool_use',
    stop_sequence: null,
    usage: { input_tokens: 1, output_tokens: 1 },
  }
}
