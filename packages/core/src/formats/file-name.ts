/**
 * A file's name for a provider, which tells by its extension what it is: the last part of its address, at most 100
 * characters, none of them special to file systems or headers.
 */
export function fileName(uri: string | undefined, extension: string): string {
  const path = (uri ?? '').replace(/[?#].*$/s, '')
  const plain = decoded(path.slice(path.lastIndexOf('/') + 1))
    .replace(/[^\p{L}\p{N}._ -]/gu, '_')
    .slice(0, 90)
    .trim()
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
