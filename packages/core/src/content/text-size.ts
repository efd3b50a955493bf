/** How many bytes a text is as UTF-8, without making them; half a character counts as U+FFFD, which it becomes. */
export function utf8Length(text: string): number {
  return fittingPart(text, Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY).bytes
}

/** The longest beginning within both limits, cut between characters. */
export function fittingPart(
  text: string,
  maxBytes: number,
  maxTokens: number,
): { end: number; bytes: number; tokens: number } {
  let bytes = 0
  let tokens = 0
  let end = 0
  while (end < text.length) {
    const code = text.codePointAt(end)!
    const size = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4
    const weight = weightOf(code)
    if (bytes + size > maxBytes || tokens + weight > maxTokens) break
    bytes += size
    tokens += weight
    end += code < 0x10000 ? 1 : 2
  }
  return { end, bytes, tokens }
}

/** Estimated tokens of one character. */
function weightOf(code: number): number {
  if (code < 0x80) return ascii[code]!
  let group = 0
  while (code >= scripts[group]![0]) group++
  return scripts[group]![1]
}

// Marked as pure, or a page that estimates nothing would carry it.
const ascii = /* @__PURE__ */ Array.from({ length: 0x80 }, (_, code) => {
  const character = String.fromCharCode(code)
  if (/[a-z]/.test(character)) return 0.21
  if (/[A-Z]/.test(character)) return 0.35
  if (/\d/.test(character)) return 0.45
  return /\s/.test(character) ? 0.12 : 0.5
})

/** Before which code point, and what one of them is. */
const scripts: [end: number, tokens: number][] = [
  // Latin with marks, Greek, Cyrillic.
  [0x530, 0.4],
  // Armenian, Hebrew, Arabic.
  [0x900, 0.45],
  // Scripts of India and South-East Asia, Georgian, Ethiopic.
  [0x1e00, 0.5],
  [0x2000, 0.5],
  // Signs, then kana and ideographs, then syllables of Korean.
  [0x3000, 1],
  [0xac00, 0.85],
  [0xd800, 0.75],
  [0x10000, 1],
  // Emoji and rare ideographs.
  [Number.POSITIVE_INFINITY, 2],
]
