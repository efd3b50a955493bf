import type { Provider } from './src/formats.js'

/** What a provider's form of a schema may lack, and why. Whatever else is lost fails the run. */
export interface AllowedLoss {
  keyword: string
  provider: Provider
  /** Where only OpenAI's strict mode loses it. */
  strict?: true
  why: string
}

const subset = 'not in the subset of Structured Outputs'

export const allowedLosses: AllowedLoss[] = [
  { keyword: 'oneOf', provider: 'ai-sdk', why: 'told as anyOf: Gemini, which may be behind the SDK, knows that alone' },
  { keyword: 'oneOf', provider: 'google', why: 'told as anyOf: the API reads oneOf as that' },
  { keyword: 'oneOf', provider: 'openai', strict: true, why: `told as anyOf: ${subset}` },
  { keyword: 'default', provider: 'openai', strict: true, why: subset },
  { keyword: 'format', provider: 'openai', strict: true, why: `uri, json, int32 and their like are ${subset}` },
  { keyword: 'minLength', provider: 'openai', strict: true, why: subset },
  { keyword: 'maxLength', provider: 'openai', strict: true, why: subset },
  { keyword: 'propertyNames', provider: 'google', why: 'not among the keywords that the API supports' },
  {
    keyword: 'exclusiveMinimum',
    provider: 'google',
    why: 'told as minimum: the API has bounds that are included alone',
  },
]
