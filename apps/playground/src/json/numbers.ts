/**
 * True for an integer, as text, that a JavaScript number would change, such as 9007199254740993.
 *
 * @param text - Decimal text.
 */
export function isInexactInteger(text: string): boolean {
  if (!/^-?\d+$/.test(text)) return false
  const number = Number(text)
  return !Number.isFinite(number) || BigInt(text) !== BigInt(number)
}

/**
 * What a number field holds: a number, or the text as typed where no number is the same. Text is never changed in
 * silence: the field says what is wrong, and a server that takes 64-bit integers as strings gets them.
 */
export function readNumber(text: string): number | string | undefined {
  const typed = text.trim()
  if (!typed) return undefined
  // The grammar of a JSON number, with a leading plus or dot forgiven.
  if (!/^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/.test(typed)) return text
  const number = Number(typed)
  if (!Number.isFinite(number) || isInexactInteger(typed.replace(/^\+/, ''))) return text
  return number
}
