/** What an authorization server gives back by way of the browser. Nothing of it is to be believed by itself. */
export interface Callback {
  state?: string
  iss?: string
  code?: string
  error?: string
  description?: string
}

const members = {
  state: 'state',
  iss: 'iss',
  code: 'code',
  error: 'error',
  description: 'error_description',
} as const satisfies Record<keyof Callback, string>

/** Characters of a callback that are looked at: no server has so much to say. */
const maxLength = 16_384

/**
 * Reads a callback's URL. A parameter that is there twice makes it none (RFC 6749 3.1): whoever reads it otherwise would
 * take another one.
 *
 * @returns undefined for what is no callback.
 * @see {@link https://www.rfc-editor.org/rfc/rfc6749#section-4.1.2}
 */
export function readCallback(url: unknown): Callback | undefined {
  if (typeof url !== 'string' || url.length > maxLength || !URL.canParse(url)) return undefined
  const { searchParams } = new URL(url)
  const callback: Callback = {}
  for (const [name, parameter] of Object.entries(members)) {
    const values = searchParams.getAll(parameter)
    if (values.length > 1) return undefined
    // RFC 6749 3.1: without a value it is treated as omitted.
    if (values[0]) callback[name as keyof Callback] = values[0]
  }
  return callback
}
