import { AuthorizationError, McpError } from '../errors.js'
import type { JsonObject } from '../protocol.js'
import { shownUrl } from './server-text.js'
import type { GuardedFetch } from './url-guard.js'

/** A document that could not be used, and why. */
export interface Unusable {
  url: string
  reason: string
  why: string
}

export interface Reading {
  fetch: GuardedFetch
  signal?: AbortSignal
  /** What was of no use so far. */
  unusable: Unusable[]
}

/**
 * Reads documents in turn until one is of use: one that is not there, that CORS hides, or that is a page, says nothing of
 * the next. No header goes along that would force a preflight: servers answer those less often than the document itself.
 *
 * @param parse - Throws {@link AuthorizationError} for a document that is of no use.
 */
export async function readFirst<Document>(
  urls: string[],
  parse: (members: JsonObject) => Document,
  reading: Reading,
): Promise<Document | undefined> {
  for (const url of new Set(urls)) {
    try {
      return parse(await readObject(url, reading))
    } catch (error) {
      note(url, error, reading)
    }
  }
  return undefined
}

/** Keeps why a document is of no use; an abort ends it all, whatever its reason is. */
export function note(url: string, error: unknown, { signal, unusable }: Reading): void {
  if (signal?.aborted || !McpError.is(error)) throw error
  unusable.push({ url: shownUrl(url), reason: error.data.reason ?? 'metadata', why: error.message })
}

async function readObject(url: string, { fetch, signal }: Reading): Promise<JsonObject> {
  const { status, headers, text } = await fetch(url, {
    headers: { accept: 'application/json' },
    ...(signal && { signal }),
  })
  if (status !== 200) throw unusable('http', `it answered ${status}`)
  // Not by `application/json` alone: a static host knows no type for a file without extension.
  if (/^\s*text\/html\b/i.test(headers.get('content-type') ?? '')) throw unusable('html', 'it answered with a page')
  const document = parseJson(text)
  if (!isObject(document)) throw unusable('json', 'it is no JSON object')
  return document
}

/** What a document is refused for. */
export function unusable(reason: string, why: string): AuthorizationError {
  return new AuthorizationError(why, { data: { reason } })
}

/** @returns undefined for what is no JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A member's text; `null` and `""` are what serialisers write for absent. */
export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** A member's list of strings; undefined where there is no list. */
export function textsOf(value: unknown): string[] | undefined {
  return Array.isArray(value) ? value.filter((entry) => typeof entry === 'string' && entry !== '') : undefined
}
