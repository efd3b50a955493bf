import { isRecord } from '../rules/walk.js'
import type { MessageForm, SentFile } from './message-forms.js'

export type BlockKind =
  | 'text'
  | 'image'
  | 'audio'
  | 'text resource'
  | 'blob'
  | 'pdf'
  | 'link'
  | 'structured'
  | 'for the user'
  | 'unknown'

/** A block as the server sent it, and what of it a model has to find in what it is told. */
export interface RecordedBlock {
  /** Its index in `content`; of structured content, one more than the last. */
  index: number
  kind: BlockKind
  /** Texts that must be there. */
  texts: string[]
  /** A file that must be there. */
  file?: { mimeType: string; base64: string }
}

/** Read from the recorded result, apart from what decodes it. */
export function blocksOf(result: Record<string, unknown>): RecordedBlock[] {
  const content = Array.isArray(result.content) ? result.content : []
  const blocks = content.map((block, index) => ({ index, ...readBlock(isRecord(block) ? block : {}) }))
  const { structuredContent } = result
  if (structuredContent === undefined) return blocks
  const repeated = blocks.some(({ kind, texts: [text = ''] }) => kind === 'text' && isSameJson(text, structuredContent))
  const texts = repeated ? [] : [JSON.stringify(structuredContent)]
  return [...blocks, { index: content.length, kind: 'structured', texts }]
}

function readBlock(block: Record<string, unknown>): Omit<RecordedBlock, 'index'> {
  const { type, text, data, mimeType, uri, resource } = block
  const audience = isRecord(block.annotations) ? block.annotations.audience : undefined
  if (Array.isArray(audience) && audience.length > 0 && !audience.includes('assistant'))
    return { kind: 'for the user', texts: [] }
  const file = (base64: unknown, ofType: unknown) => ({ file: { mimeType: String(ofType), base64: String(base64) } })
  switch (type) {
    case 'text':
      return { kind: 'text', texts: [String(text)] }
    case 'image':
    case 'audio':
      return { kind: type, texts: [], ...file(data, mimeType) }
    case 'resource_link':
      return { kind: 'link', texts: [String(uri)] }
    case 'resource': {
      const contents = isRecord(resource) ? resource : {}
      if (typeof contents.text === 'string') return { kind: 'text resource', texts: [contents.text] }
      const kind = contents.mimeType === 'application/pdf' ? 'pdf' : 'blob'
      return { kind, texts: [], ...file(contents.blob, contents.mimeType) }
    }
    default:
      return { kind: 'unknown', texts: [] }
  }
}

function isSameJson(text: string, value: unknown): boolean {
  try {
    return sorted(JSON.parse(text)) === sorted(value)
  } catch {
    return false
  }
}

const sorted = (value: unknown): string =>
  JSON.stringify(value, (_, inner: unknown) =>
    isRecord(inner) ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1))) : inner,
  )

/** What is sent to a provider, by what it reads as text and what as a file. */
export interface SentParts {
  text: string
  files: SentFile[]
  /** What of it is none of the provider's form. */
  faults: string[]
}

export function sentParts(message: unknown, { envelope, parts, fileOf }: MessageForm): SentParts {
  if (!isRecord(message)) return { text: '', files: [], faults: ['it is no message'] }
  const { list = [], types } = parts(message)
  const faults = [
    ...Object.entries(envelope)
      .filter(([key, value]) => message[key] !== value)
      .map(([key]) => `its ${key} is wrong`),
    ...(Array.isArray(list) ? list : [undefined])
      .filter((part) => !isRecord(part) || !(types.includes(part.type as string) || fileOf(part)))
      .map((part) => `it has no parts like ${JSON.stringify(part)?.slice(0, 80)}`),
  ]
  const texts: string[] = []
  const files: SentFile[] = []
  const visit = (value: unknown): void => {
    if (typeof value === 'string') texts.push(value)
    else if (Array.isArray(value)) value.forEach(visit)
    else if (isRecord(value)) {
      const file = fileOf(value)
      if (file) files.push(file)
      else Object.values(value).forEach(visit)
    }
  }
  visit(message)
  return { text: texts.join('\n'), files, faults }
}
