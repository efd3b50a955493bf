import { utf8Length } from './text-size.js'

/** What a result held beyond what its model was shown. */
export type Rest = { mimeType?: string } & ({ text: string } | { bytes: Uint8Array<ArrayBuffer> })

/** A piece of what was kept. */
export type RestPiece = Rest & {
  /** The whole, in bytes; a text's as UTF-8. */
  size: number
  /** Where the next piece begins; absent at the end. */
  next?: number
}

/**
 * Where an app keeps what its models were not shown, to fetch it by the handle that the label names. One store belongs to
 * one user: whoever has the store and a handle can read.
 */
export interface RestStore {
  /**
   * Keeps it, and lets the oldest go where `maxBytes` or `maxItems` would be passed. What is kept already has its handle of
   * before.
   * Bytes are not copied: they must stay as they are.
   *
   * @returns The handle; undefined where it alone is larger than `maxBytes`.
   */
  keep(rest: Rest): string | undefined
  /**
   * @param handle - As the label names it.
   * @param range.offset - Where to begin: in bytes, of a text in UTF-16 units. Default 0.
   * @param range.length - How much at most, in the same unit; a text is not cut within a character. Default: all.
   * @returns A copy; undefined where nothing is kept under this handle, or no more.
   */
  read(handle: string, range?: { offset?: number; length?: number }): RestPiece | undefined
  /** Lets it go; false where nothing is kept under this handle. */
  delete(handle: string): boolean
}

const defaultMaxBytes = 64 * 1024 * 1024
const defaultMaxItems = 1_000

/**
 * @param options.maxBytes - Bytes kept at most, texts counted as UTF-8. Default 67 108 864 (64 MiB).
 * @param options.maxItems - What is kept at most, however small: a result may be cut in a million pieces. Integer >= 1.
 *   Default 1 000.
 */
export function createRestStore({
  maxBytes = defaultMaxBytes,
  maxItems = defaultMaxItems,
}: {
  maxBytes?: number
  maxItems?: number
} = {}): RestStore {
  /** In the order in which they were last kept. */
  const kept = new Map<string, { rest: Rest; size: number }>()
  let total = 0

  const forget = (handle: string): boolean => {
    total -= kept.get(handle)?.size ?? 0
    return kept.delete(handle)
  }

  const find = (rest: Rest, size: number): string | undefined => {
    for (const [handle, other] of kept) if (other.size === size && same(other.rest, rest)) return handle
    return undefined
  }

  return {
    keep(rest) {
      const size = sizeOf(rest)
      if (size > maxBytes) return undefined
      const handle = find(rest, size) ?? createHandle()
      // Even where it is there already: what is mapped again is not the oldest.
      forget(handle)
      for (const [oldest] of kept) {
        if (total + size <= maxBytes && kept.size < maxItems) break
        forget(oldest)
      }
      kept.set(handle, { rest, size })
      total += size
      return handle
    },
    read(handle, { offset = 0, length = Number.POSITIVE_INFINITY } = {}) {
      const entry = kept.get(handle)
      if (!entry) return undefined
      const { rest, size } = entry
      const { mimeType } = rest
      const whole = 'text' in rest ? rest.text : rest.bytes
      // Bytes that were transferred to another realm are gone.
      if (typeof whole !== 'string' && whole.byteLength !== size) {
        forget(handle)
        return undefined
      }
      const from = boundary(whole, offset)
      const reached = boundary(whole, from + length)
      // One character at least: who reads piece by piece gets on.
      const to = reached > from || length <= 0 ? reached : boundary(whole, from + length + 1)
      return {
        ...(mimeType && { mimeType }),
        size,
        ...(typeof whole === 'string' ? { text: whole.slice(from, to) } : { bytes: whole.slice(from, to) }),
        ...(to < whole.length && { next: to }),
      }
    },
    delete: forget,
  }
}

/** The place itself, or the one before it where that is within a character. */
function boundary(whole: string | Uint8Array, place: number): number {
  const at = Math.min(Math.max(0, Math.trunc(place) || 0), whole.length)
  if (typeof whole !== 'string' || at === 0 || at === whole.length) return at
  const unit = whole.charCodeAt(at)
  const before = whole.charCodeAt(at - 1)
  return unit >= 0xdc00 && unit <= 0xdfff && before >= 0xd800 && before <= 0xdbff ? at - 1 : at
}

const sizeOf = (rest: Rest) => ('text' in rest ? utf8Length(rest.text) : rest.bytes.byteLength)

function same(a: Rest, b: Rest): boolean {
  if (a.mimeType !== b.mimeType) return false
  if ('text' in a) return 'text' in b && a.text === b.text
  if (!('bytes' in b)) return false
  return a.bytes === b.bytes || a.bytes.every((byte, index) => byte === b.bytes[index])
}

/** 60 random bits: neither a model nor what it read can guess one. */
function createHandle(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(12))
  return Array.from(bytes, (byte) => alphabet[byte & 31]).join('')
}

/** Without letters that a model mistakes for a digit. */
const alphabet = 'abcdefghijkmnpqrstuvwxyz23456789'
