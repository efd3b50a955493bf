/** A text as it is cut at its references: literal text, and what stands between `${` and `}`. */
export type Piece = { text: string } | { reference: string }

/** Without `}` there is no reference: a password may hold `${`. */
export function splitReferences(text: string): Piece[] {
  const pieces: Piece[] = []
  let end = 0
  for (const { 0: whole, 1: reference, index } of text.matchAll(/\$\{([^}]*)\}/g)) {
    if (index > end) pieces.push({ text: text.slice(end, index) })
    pieces.push({ reference: reference! })
    end = index + whole.length
  }
  if (end < text.length) pieces.push({ text: text.slice(end) })
  return pieces
}
