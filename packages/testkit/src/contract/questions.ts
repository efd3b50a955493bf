/** What the tools `ask` and `task` ask their client, and what the suite answers. Both sides know all of it. */

/** A request that a server makes, as it is on the wire. */
export interface Question {
  method: string
  params?: Record<string, unknown>
}

/** A field of each kind that a form may have, with and without a default. */
export const formSchema = {
  type: 'object',
  properties: {
    name: { type: 'string', title: 'Your name', minLength: 2, maxLength: 40 },
    email: { type: 'string', format: 'email', default: 'ada@contract.example' },
    age: { type: 'integer', minimum: 0, maximum: 150, default: 36 },
    height: { type: 'number', minimum: 0.5, default: 1.65 },
    newsletter: { type: 'boolean', default: false },
    color: { type: 'string', enum: ['red', 'green'], default: 'green' },
    size: {
      type: 'string',
      oneOf: [
        { const: 's', title: 'Small' },
        { const: 'l', title: 'Large' },
      ],
      default: 'l',
    },
    days: { type: 'array', items: { type: 'string', enum: ['mon', 'tue'] }, minItems: 1, default: ['mon'] },
  },
  required: ['name', 'age'],
}

/** What the form's defaults make of an answer that names no more than the name. */
export const formDefaults = {
  email: 'ada@contract.example',
  age: 36,
  height: 1.65,
  newsletter: false,
  color: 'green',
  size: 'l',
  days: ['mon'],
}

export const visitUrl = 'https://visit.contract.example/sign-in?step=1'
export const visitId = 'visit-4711'

/** Base64 of the bytes 0 to 5, in the picture that goes with a question to a model. */
export const pictureBytes = Uint8Array.of(0, 1, 2, 3, 4, 5)
const picture = { type: 'image', mimeType: 'image/png', data: 'AAECAwQF' }

export const samplingParams = {
  messages: [
    { role: 'user', content: { type: 'text', text: 'What is this?' } },
    { role: 'user', content: picture },
  ],
  maxTokens: 100,
  systemPrompt: 'Be brief.',
  temperature: 0.5,
  stopSequences: ['\n\n'],
  modelPreferences: { hints: [{ name: 'claude' }], costPriority: 0.25 },
  metadata: { contract: true },
}

export const questions = {
  form: {
    method: 'elicitation/create',
    params: { mode: 'form', message: 'Who are you?', requestedSchema: formSchema },
  },
  url: { method: 'elicitation/create', params: { mode: 'url', message: 'Please sign in.', url: visitUrl } },
  sampling: { method: 'sampling/createMessage', params: samplingParams },
  roots: { method: 'roots/list', params: {} },
} satisfies Record<string, Question>

export type QuestionKind = keyof typeof questions
export const questionKinds = Object.keys(questions) as QuestionKind[]
