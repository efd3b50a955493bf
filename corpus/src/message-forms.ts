import { isRecord } from '../rules/walk.js'

export interface SentFile {
  mimeType: string
  base64: string
}

/** How one provider's API writes the outcome of a call: read from its reference, apart from what writes it. */
export interface MessageForm {
  /** What every message has. */
  envelope: Record<string, unknown>
  /** The lists of parts in a message, and what a part of each is called. */
  parts(message: Record<string, unknown>): { list: unknown; types: string[] }
  /** The file that a part is; undefined of any other. */
  fileOf(part: Record<string, unknown>): SentFile | undefined
}

const file = (mimeType: unknown, base64: unknown): SentFile | undefined =>
  typeof mimeType === 'string' && typeof base64 === 'string' ? { mimeType, base64 } : undefined

function fromDataUrl(url: unknown): SentFile | undefined {
  const [, mimeType, base64] = (typeof url === 'string' && /^data:([^;,]+);base64,(.*)$/s.exec(url)) || []
  return file(mimeType, base64)
}

const inside = (value: unknown, ...keys: string[]): unknown =>
  keys.reduce<unknown>((inner, key) => (isRecord(inner) ? inner[key] : undefined), value)

const aiEnvelope = { type: 'tool-result', toolCallId: 'call_1' }
const aiParts = (types: string[]) => (message: Record<string, unknown>) => ({
  list: inside(message, 'output', 'type') === 'content' ? inside(message, 'output', 'value') : undefined,
  types,
})

/** @see {@link https://ai-sdk.dev/docs/reference/ai-sdk-core/model-message} */
export const aiSdk7: MessageForm = {
  envelope: aiEnvelope,
  parts: aiParts(['text', 'file']),
  fileOf: ({ type, mediaType, data }) =>
    type === 'file' && inside(data, 'type') === 'data' ? file(mediaType, inside(data, 'data')) : undefined,
}

/** @see {@link https://v6.ai-sdk.dev/docs/reference/ai-sdk-core/model-message} */
export const aiSdk6: MessageForm = {
  envelope: aiEnvelope,
  parts: aiParts(['text', 'image-data', 'file-data']),
  fileOf: ({ type, mediaType, data }) =>
    type === 'image-data' || type === 'file-data' ? file(mediaType, data) : undefined,
}

/** @see {@link https://developers.openai.com/api/reference/resources/chat} */
export const openaiChat: MessageForm = {
  envelope: { role: 'tool', tool_call_id: 'call_1' },
  parts: ({ content }) => ({ list: Array.isArray(content) ? content : undefined, types: ['text'] }),
  fileOf: () => undefined,
}

/** @see {@link https://developers.openai.com/api/reference/resources/responses} */
export const openaiResponses: MessageForm = {
  envelope: { type: 'function_call_output', call_id: 'call_1' },
  parts: ({ output }) => ({
    list: Array.isArray(output) ? output : undefined,
    types: ['input_text', 'input_image', 'input_file'],
  }),
  fileOf({ type, image_url, file_data }) {
    if (type === 'input_image') return fromDataUrl(image_url)
    return type === 'input_file' ? fromDataUrl(file_data) : undefined
  },
}

/** @see {@link https://platform.claude.com/docs/en/agents-and-tools/tool-use/handle-tool-calls} */
export const anthropic: MessageForm = {
  envelope: { type: 'tool_result', tool_use_id: 'call_1' },
  parts: ({ content }) => ({
    list: Array.isArray(content) ? content : undefined,
    types: ['text', 'image', 'document'],
  }),
  fileOf: ({ type, source }) =>
    (type === 'image' || type === 'document') && inside(source, 'type') === 'base64'
      ? file(inside(source, 'media_type'), inside(source, 'data'))
      : undefined,
}

/** Its parts have no type: a file is what has `inlineData`. @see {@link https://ai.google.dev/api/caching#FunctionResponse} */
export const google: MessageForm = {
  envelope: {},
  parts: ({ functionResponse }) => ({ list: inside(functionResponse, 'parts'), types: [] }),
  fileOf: ({ inlineData }) => file(inside(inlineData, 'mimeType'), inside(inlineData, 'data')),
}
