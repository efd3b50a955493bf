/**
 * A server's text as one line of plain text: no control, format or bidi characters, and cut. It goes into messages that
 * a person reads.
 *
 * @param maxLength - Characters, default 200.
 */
export function plainText(text: string, maxLength = 200): string {
  // Cut first: nobody has to look through a megabyte.
  const line = text
    .slice(0, maxLength * 4)
    .replace(/[\p{C}\p{Z}\s]+/gu, ' ')
    .trim()
  const characters = Array.from(line)
  return characters.length > maxLength ? `${characters.slice(0, maxLength).join('')}…` : line
}

/** A URL as messages name it: without user name, query and fragment, which may hold secrets. */
export function shownUrl(url: unknown): string {
  if (typeof url !== 'string' || !URL.canParse(url)) return 'a malformed URL'
  const { protocol, host, pathname } = new URL(url)
  return /^https?:$/.test(protocol) ? plainText(`${protocol}//${host}${pathname}`) : `${plainText(protocol, 30)}…`
}
