/** How many bytes a text is as UTF-8, without making them; a lone surrogate counts as U+FFFD, which it becomes. */
export function encodeUtf8Length(text: string): number {
  return utf8Prefix(text, Number.POSITIVE_INFINITY).bytes
}

/** The longest beginning that is no larger than this as UTF-8, cut between code points. */
export function utf8Prefix(text: string, maxBytes: number): { end: number; bytes: number } {
  let bytes = 0
  let index = 0
  while (index < text.length) {
    const code = text.codePointAt(index)!
    const size = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4
    if (bytes + size > maxBytes) break
    bytes += size
    index += code < 0x10000 ? 1 : 2
  }
  return { end: index, bytes }
}
