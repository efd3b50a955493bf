import { createAnthropic } from '@ai-sdk/anthropic'
import { createAnthropic as createAnthropic6 } from '@ai-sdk/anthropic6'
import type { LanguageModel } from 'ai'
import type { LanguageModel as LanguageModel6 } from 'ai6'
import { messagesReply } from './anthropic-endpoint.js'
import { createScriptedEndpoint, type ScriptedEndpoint, type Step } from './scripted-endpoint.js'

/** A model of Anthropic's behind the AI SDK, 7 and 6. */
export function aiSdkEndpoint(...steps: Step[]): ScriptedEndpoint & { seven: LanguageModel; six: LanguageModel6 } {
  const endpoint = createScriptedEndpoint(steps, messagesReply)
  const settings = { apiKey: 'key', fetch: endpoint.fetch }
  const model = 'claude-sonnet-4-5'
  return { ...endpoint, seven: createAnthropic(settings)(model), six: createAnthropic6(settings)(model) }
}
