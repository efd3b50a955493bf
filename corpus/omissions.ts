import type { BlockKind } from './src/blocks.js'
import type { Provider } from './src/formats.js'

/** Which blocks a provider's models may get a label for, and why. Whatever else is left out fails the run. */
export interface AllowedOmission {
  kind: BlockKind
  provider: Provider
  /** Of a provider with several forms, the one that it is about. */
  form?: string
  why: string
}

const forTheUser = 'its server says that it is not for the model'

export const allowedOmissions: AllowedOmission[] = [
  { kind: 'for the user', provider: 'ai-sdk', why: forTheUser },
  { kind: 'for the user', provider: 'openai', why: forTheUser },
  { kind: 'for the user', provider: 'anthropic', why: forTheUser },
  { kind: 'for the user', provider: 'google', why: forTheUser },
  { kind: 'audio', provider: 'ai-sdk', why: 'most providers behind the SDK take no audio from a tool' },
  { kind: 'audio', provider: 'openai', why: 'neither API takes audio from a tool' },
  { kind: 'audio', provider: 'anthropic', why: 'the API takes no audio' },
  { kind: 'audio', provider: 'google', why: 'a function’s response may hold images, PDF and text' },
  { kind: 'blob', provider: 'ai-sdk', why: 'images and PDF alone are taken by more than one provider' },
  { kind: 'blob', provider: 'openai', why: 'the API takes images, PDF, office documents and text' },
  { kind: 'blob', provider: 'anthropic', why: 'the API takes images and PDF' },
  { kind: 'blob', provider: 'google', why: 'a function’s response may hold images, PDF and text' },
  { kind: 'image', provider: 'openai', form: 'openai chat', why: 'Chat Completions takes text alone from a tool' },
]
