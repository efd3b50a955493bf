/** A text as it is cut at its references: literal text, and what stands between `${` and `}`. */
export type Piece = { text: string } | { reference: string }

/**
 * What of a text references can be in: without `}` there is none, and a password may hold `${`. To look for one in the rest
 * would take time by the square of its length.
 */
export const untilLastReference = (text: string) => text.slice(0, text.lastIndexOf('}') + 1)

export function splitReferences(text: string): Piece[] {
  const pieces: Piece[] = []
  let end = 0
  for (const { 0: whole, 1: reference, index } of untilLastReference(text).matchAll(/\$\{([^}]*)\}/g)) {
    if (index > end) pieces.push({ text: text.slice(end, index) })
    pieces.push({ reference: reference! })
    end = index + whole.length
  }
  if (end < text.length) pieces.push({ text: text.slice(end) })
  return pieces
}
