/**
 * Text of strangers, as a model may see it: without what people can't see. Where a reader and a model see different
 * texts, a server can hide orders from the one in front of the other.
 */

/** Tags, bidirectional controls, and characters without width or glyph. */
const invisible = /[\u{e0000}-\u{e0fff}\u200b\u2060-\u2064\ufeff\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu
/** C0 and C1 controls but tab and line ends: terminals take orders from them. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const control = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]/g

/** The text without them. */
export function cleanText(text: string): string {
  return text.replace(invisible, '').replace(control, '')
}

/** What kinds of them a text holds, in words for a finding; none of a clean text. */
export function hiddenIn(text: string): string[] {
  return [
    ...(text.search(invisible) >= 0 ? ['invisible or directional characters'] : []),
    ...(text.search(control) >= 0 ? ['control characters'] : []),
  ]
}
