import { cleanText } from '../clean-text.js'

/**
 * A file's name for a provider, which tells by its extension what it is: the last part of its address, at most 100
 * characters, none of them special to file systems or headers.
 */
export function fileName(uri: string | undefined, extension: string): string {
  const path = (uri ?? '').replace(/[?#].*$/s, '')
  const named = cleanText(decoded(path.slice(path.lastIndexOf('/') + 1))).replace(/[^\p{L}\p{N}._ -]/gu, '_')
  // By characters: a name that ends in half of one is none.
  const plain = Array.from(named.slice(0, 180)).slice(0, 90).join('').trim()
  if (/^[._ ]*$/.test(plain)) return `file.${extension}`
  return plain.toLowerCase().endsWith(`.${extension}`) ? plain : `${plain}.${extension}`
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
