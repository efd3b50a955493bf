import { plainText } from './server-text.js'

/**
 * A server's own words as plain text for an error message: one line, cut, without control, bidi and invisible
 * characters, and without what was sent to it: servers quote the code or the token that they refuse.
 *
 * @param secrets - What must not appear.
 */
export function redactedText(text: string, secrets: readonly string[] = []): string {
  const bare = secrets
    .filter((secret) => secret !== '')
    .flatMap((secret) => [secret, new URLSearchParams([['', secret]]).toString().slice(1)])
    .reduce((rest, secret) => rest.replaceAll(secret, '[removed]'), text)
  return plainText(bare)
}
