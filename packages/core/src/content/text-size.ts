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
  let before: Kind = 'space'
  while (end < text.length) {
    const code = text.codePointAt(end)!
    const size = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4
    const kind = kindOf(code)
    const weight = kind === 'other' ? weightOf(code) : weights[kind][before]
    if (bytes + size > maxBytes || tokens + weight > maxTokens) break
    bytes += size
    tokens += weight
    before = kind
    end += code < 0x10000 ? 1 : 2
  }
  return { end, bytes, tokens }
}

type Kind = 'lower' | 'upper' | 'digit' | 'space' | 'sign' | 'other'

function kindOf(code: number): Kind {
  if (code >= 0x80) return 'other'
  if (code >= 0x61 && code <= 0x7a) return 'lower'
  if (code >= 0x41 && code <= 0x5a) return 'upper'
  if (code >= 0x30 && code <= 0x39) return 'digit'
  return code <= 0x20 ? 'space' : 'sign'
}

/**
 * Estimated tokens of an ASCII character after one of each kind: words are a token or two, and where letters, digits and
 * signs meet, as in keys and identifiers, a new one begins. Fitted to public tokenizers on prose, code, JSON and logs.
 */
const weights: Record<Exclude<Kind, 'other'>, Record<Kind, number>> = {
  lower: { lower: 0.18, upper: 0.25, digit: 0.75, space: 0.35, sign: 0.3, other: 0.4 },
  upper: { lower: 0.75, upper: 0.45, digit: 0.75, space: 0.4, sign: 0.5, other: 0.5 },
  digit: { lower: 0.75, upper: 0.75, digit: 0.37, space: 0.8, sign: 0.8, other: 0.6 },
  space: { lower: 0.05, upper: 0.1, digit: 0.4, space: 0.05, sign: 0.15, other: 0.1 },
  sign: { lower: 0.55, upper: 0.55, digit: 0.7, space: 0.6, sign: 0.25, other: 0.6 },
}

/** Of a character beyond ASCII. */
function weightOf(code: number): number {
  let group = 0
  while (code >= scripts[group]![0]) group++
  return scripts[group]![1]
}

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
