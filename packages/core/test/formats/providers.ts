import type { JsonObject } from '../../src/protocol.js'
import type { Toolset } from '../../src/toolset/toolset.js'
import { aiSdkEndpoint } from './ai-sdk-endpoint.js'
import { messagesEndpoint } from './anthropic-endpoint.js'
import { startGeminiEndpoint } from './google-endpoint.js'
import { aiSdk6Loop, aiSdkLoop, chatLoop, geminiLoop, messagesLoop, responsesLoop } from './loops.js'
import { chatEndpoint, responsesEndpoint } from './openai-endpoint.js'
import type { ScriptedEndpoint, Step } from './scripted-endpoint.js'

/** The providers' real SDKs, run by the docstrings' loops. */
export interface Provider {
  name: string
  run(toolset: Toolset, ...steps: Step[]): Promise<Pick<ScriptedEndpoint, 'bodies'>>
  /** Whether a failure has a mark of its own; told as `{ error }`. */
  marksFailures?: true
  /** What a request told the model of its calls, by call. */
  told(body: JsonObject): Record<string, unknown>
  toolNames(body: JsonObject): string[]
}

const list = (value: unknown) => value as JsonObject[]
const byId = (items: JsonObject[], id: string, content: (item: JsonObject) => unknown) =>
  Object.fromEntries(items.map((item) => [item[id] as string, content(item)]))

const messagesBody: Pick<Provider, 'marksFailures' | 'told' | 'toolNames'> = {
  marksFailures: true,
  told: ({ messages }) =>
    byId(
      list(messages)
        .flatMap(({ content }) => (Array.isArray(content) ? list(content) : []))
        .filter(({ type }) => type === 'tool_result'),
      'tool_use_id',
      ({ content, is_error }) => (is_error ? { error: content } : content),
    ),
  toolNames: ({ tools }) => list(tools).map(({ name }) => name as string),
}

export const providers: Provider[] = [
  {
    name: 'Chat Completions',
    async run(toolset, ...steps) {
      const endpoint = chatEndpoint(...steps)
      await chatLoop(endpoint.openai, toolset)
      return endpoint
    },
    told: ({ messages }) =>
      byId(
        list(messages).filter(({ role }) => role === 'tool'),
        'tool_call_id',
        ({ content }) => content,
      ),
    toolNames: ({ tools }) => list(tools).map((tool) => (tool.function as JsonObject).name as string),
  },
  {
    name: 'Responses',
    async run(toolset, ...steps) {
      const endpoint = responsesEndpoint(...steps)
      await responsesLoop(endpoint.openai, toolset)
      return endpoint
    },
    told: ({ input }) =>
      byId(
        list(input).filter(({ type }) => type === 'function_call_output'),
        'call_id',
        ({ output }) => output,
      ),
    toolNames: ({ tools }) => list(tools).map(({ name }) => name as string),
  },
  {
    name: 'Messages',
    async run(toolset, ...steps) {
      const endpoint = messagesEndpoint(...steps)
      await messagesLoop(endpoint.anthropic, toolset)
      return endpoint
    },
    ...messagesBody,
  },
  {
    name: 'Gemini',
    marksFailures: true,
    async run(toolset, ...steps) {
      const { bodies, gemini, close } = await startGeminiEndpoint(...steps)
      await geminiLoop(gemini, toolset).finally(close)
      return { bodies }
    },
    told: ({ contents }) =>
      byId(
        list(contents).flatMap(({ parts }) =>
          list(parts).flatMap(({ functionResponse }) => (functionResponse ? [functionResponse as JsonObject] : [])),
        ),
        'id',
        ({ response }) => {
          const { output, error } = response as JsonObject
          return error === undefined ? output : { error }
        },
      ),
    toolNames: ({ tools }) =>
      list(tools).flatMap((tool) => list(tool.functionDeclarations).map(({ name }) => String(name))),
  },
  {
    name: 'AI SDK 7',
    async run(toolset, ...steps) {
      const endpoint = aiSdkEndpoint(...steps)
      await aiSdkLoop(endpoint.seven, toolset)
      return endpoint
    },
    ...messagesBody,
  },
  {
    name: 'AI SDK 6',
    async run(toolset, ...steps) {
      const endpoint = aiSdkEndpoint(...steps)
      await aiSdk6Loop(endpoint.six, toolset)
      return endpoint
    },
    ...messagesBody,
  },
]
