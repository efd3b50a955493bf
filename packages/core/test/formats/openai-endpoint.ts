import OpenAI from 'openai'
import { createScriptedEndpoint, type Said, type ScriptedEndpoint, type Step } from './scripted-endpoint.js'

const written = (args: object | string = {}) => (typeof args === 'string' ? args : JSON.stringify(args))

/** Chat Completions behind OpenAI's SDK. */
export const chatEndpoint = (...steps: Step[]) => openaiEndpoint(steps, chatReply)

/** Responses behind OpenAI's SDK. */
export const responsesEndpoint = (...steps: Step[]) => openaiEndpoint(steps, responsesReply)

function openaiEndpoint(steps: Step[], reply: (said: Said) => object): ScriptedEndpoint & { openai: OpenAI } {
  const endpoint = createScriptedEndpoint(steps, reply)
  return { ...endpoint, openai: new OpenAI({ apiKey: 'key', fetch: endpoint.fetch, maxRetries: 0 }) }
}

function chatReply(said: Said): object {
  const calls = typeof said === 'string' ? [] : said
  const toolCalls = calls.map(([id, name, args]) => ({
    id,
    type: 'function',
    function: { name, arguments: written(args) },
  }))
  const message = {
    role: 'assistant',
    content: typeof said === 'string' ? said : null,
    refusal: null,
    ...(toolCalls.length > 0 && { tool_calls: toolCalls }),
  }
  const finish_reason = toolCalls.length > 0 ? 'tool_calls' : 'stop'
  return {
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1,
    model: 'scripted',
    choices: [{ index: 0, message, logprobs: null, finish_reason }],
  }
}

function responsesReply(said: Said): object {
  const output =
    typeof said === 'string'
      ? [
          {
            id: 'msg_1',
            type: 'message',
            role: 'assistant',
            status: 'completed',
            content: [{ type: 'output_text', text: said, annotations: [] }],
          },
        ]
      : said.map(([call_id, name, args]) => ({
          id: `fc_${call_id}`,
          type: 'function_call',
          status: 'completed',
          call_id,
          name,
          arguments: written(args),
        }))
  return { id: 'resp_1', object: 'response', created_at: 1, status: 'completed', model: 'scripted', output }
}
