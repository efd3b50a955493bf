import type { CallToolResult, ContentBlock, Json } from '../../../src/protocol.js'

/** Files small enough to be compared whole, and real enough for an SDK that looks into them. */
export const base64 = {
  /** One grey pixel. */
  png: 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNoAAAAggCBd81ytgAAAABJRU5ErkJggg==',
  /** A document of no pages. */
  pdf: 'JVBERi0xLjQKMSAwIG9iajw8L1R5cGUvQ2F0YWxvZy9QYWdlcyAyIDAgUj4+ZW5kb2JqCjIgMCBvYmo8PC9UeXBlL1BhZ2VzL0tpZHNbXS9Db3VudCAwPj5lbmRvYmoKdHJhaWxlcjw8L1Jvb3QgMSAwIFI+PgolJUVPRgo=',
  /** Two samples. */
  wav: 'UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQIAAACAgA==',
  /** An archive of no files. */
  zip: 'UEsFBgAAAAAAAAAAAAAAAAAAAAAAAA==',
} as const

export const bytesOf = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(text), (character) => character.charCodeAt(0))

export const kinds = [
  'text',
  'image',
  'audio',
  'text resource',
  'blob resource',
  'pdf blob',
  'link',
  'structured',
] as const
export type Kind = (typeof kinds)[number]

const result = (...content: ContentBlock[]): CallToolResult => ({ content, findings: [] })
const structuredContent: Json = { temperature: 21.5, sky: 'clear' }

/** A result of each kind that a server may send, with that alone in it. */
export const results: Record<Kind, CallToolResult> = {
  text: result({ type: 'text', text: 'It is sunny' }),
  image: result({ type: 'image', mimeType: 'image/png', data: bytesOf(base64.png) }),
  audio: result({ type: 'audio', mimeType: 'audio/wav', data: bytesOf(base64.wav) }),
  'text resource': result({
    type: 'resource',
    resource: { uri: 'file:///notes.md', mimeType: 'text/markdown', text: '# Notes' },
  }),
  'blob resource': result({
    type: 'resource',
    resource: { uri: 'file:///all.zip', mimeType: 'application/zip', blob: bytesOf(base64.zip) },
  }),
  'pdf blob': result({
    type: 'resource',
    resource: { uri: 'file:///report.pdf', mimeType: 'application/pdf', blob: bytesOf(base64.pdf) },
  }),
  link: result({
    type: 'resource_link',
    uri: 'https://weather.example/oslo',
    name: 'oslo',
    title: 'Oslo',
    description: 'The weather in Oslo',
    mimeType: 'text/html',
  }),
  structured: { ...result(), structuredContent },
}
