/** One challenge of a `WWW-Authenticate` header. */
export interface Challenge {
  /** As it was sent; compare it without regard to case. */
  scheme: string
  /** Names in lower case; of a name that is there twice, the first value. */
  params: Record<string, string>
}

/** What a response asks for; `unknown` where the header is not to be seen. */
export type Challenges = Challenge[] | 'unknown'

/** Characters of the header, and challenges, that are looked at: a server may send any number. */
const maxLength = 16_384
const maxChallenges = 20

const separators = /[\t ,]*/y
const token = /[!#$%&'*+.^_`|~0-9A-Za-z-]+/y
const token68 = /[A-Za-z0-9._~+/-]+=*(?=[\t ]*(?:,|$))/y
const spaces = /[\t ]+/y
const equals = /[\t ]*=[\t ]*/y
const quoted = /"((?:[^"\\]|\\.)*)"/sy
// Wider than a token: URLs are often left unquoted.
const unquoted = /[^\t ",]+/y

/**
 * The challenges of a 401's headers. A header that isn't there is not taken for absent: a page sees it only where the
 * server lists it in `Access-Control-Expose-Headers`, and a 401 always has one (RFC 9110 15.5.2).
 */
export function readChallenges(headers: Headers): Challenges {
  const header = headers.get('www-authenticate')
  return header === null ? 'unknown' : parseChallenges(header)
}

/**
 * Takes a `WWW-Authenticate` header apart: any number of challenges, also from several headers that were joined.
 * Commas separate both challenges and parameters, so that only a `=` tells a parameter from the next scheme. Missing
 * commas and unquoted values are put up with; from what can't be read on, the rest is left out.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc9110#section-11.6.1}
 */
export function parseChallenges(header: string | null): Challenge[] {
  const text = (header ?? '').slice(0, maxLength)
  const challenges: { scheme: string; params: Map<string, string> }[] = []
  let at = 0
  const take = (pattern: RegExp): RegExpExecArray | undefined => {
    pattern.lastIndex = at
    const match = pattern.exec(text) ?? undefined
    if (match) at += match[0].length
    return match
  }
  for (;;) {
    take(separators)
    const name = take(token)?.[0]
    if (name === undefined) break
    if (take(equals)) {
      const value = take(quoted)?.[1]?.replace(/\\(.)/gs, '$1') ?? take(unquoted)?.[0]
      const params = challenges.at(-1)?.params
      if (value === undefined || !params) break
      const key = name.toLowerCase()
      if (!params.has(key)) params.set(key, value)
      continue
    }
    if (challenges.length === maxChallenges) break
    challenges.push({ scheme: name, params: new Map() })
    // The one value of Negotiate and its like; nobody here has a use for it.
    if (take(spaces)) take(token68)
  }
  return challenges.map(({ scheme, params }) => ({ scheme, params: Object.fromEntries(params) }))
}

/** Whether a challenge is one that OAuth's tokens answer. */
export const isOfOAuth = ({ scheme }: Challenge): boolean => /^(bearer|dpop)$/i.test(scheme)
