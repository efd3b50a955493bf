import type { Finding, Json } from '../protocol.js'
import { decodeBase64 } from './base64.js'
import { contradictedType, mediaType, sniffType } from './media-type.js'

/** What servers send as binary content: bytes, or against the protocol a URL where they are. */
export type Binary = { bytes: Uint8Array<ArrayBuffer>; mimeType: string | undefined } | { uri: string }

/**
 * Base64 and its declared type as bytes and their type; undefined when it is no base64. What is mended is reported: a `data:`
 * prefix, other forms of base64, a type that is missing or contradicts the bytes.
 *
 * @param path - Of what holds both.
 * @param key - What the base64 is called there.
 */
export function decodeBinary(
  holder: { [key: string]: Json },
  key: 'data' | 'blob',
  path: string,
  findings: Finding[],
): Binary | undefined {
  const { [key]: value, mimeType, mediaType: otherwise } = holder
  const named = mimeType ?? otherwise
  if (typeof value !== 'string') return undefined
  const mended = (member: string, message: string) =>
    findings.push({ code: 'mended-content', message, path: `${path}/${member}` })

  const [prefix = '', prefixType] = /^\s*data:([^,;]{0,200})[^,]{0,200},/i.exec(value) ?? []
  const base64 = value.slice(prefix.length)
  const bytes = decodeBase64(base64)
  if (!bytes) return prefix || !/^\s*[a-z][a-z\d+.-]{0,30}:/i.test(value) ? undefined : { uri: value.trim() }
  if (prefix) mended(key, 'A "data:" URL where base64 belongs; read without its prefix')
  else if (base64.length !== Math.ceil(bytes.length / 3) * 4 || base64.includes('-') || base64.includes('_'))
    mended(key, 'Base64 that is URL-safe, wrapped or not padded')

  if (mimeType == null && otherwise != null) mended('mimeType', 'The media type is called "mediaType" here')
  const declared = mediaType(named) ?? mediaType(prefixType)
  if (!declared) {
    const sniffed = sniffType(bytes)
    if (sniffed || key === 'data' || named)
      mended('mimeType', `No media type; by its bytes this is ${sniffed ?? 'unknown'}`)
    return { bytes, mimeType: sniffed }
  }
  // Of other files than these nobody can tell: a ZIP archive is a document as well, and whatever is made of it.
  const truly =
    key === 'data' || /^(image|audio)\/|^application\/pdf/i.test(declared)
      ? contradictedType(bytes, declared)
      : undefined
  if (truly) mended('mimeType', `Declared as ${declared}, but by its bytes this is ${truly}`)
  return { bytes, mimeType: truly ?? declared }
}
