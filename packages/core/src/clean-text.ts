/**
 * Text of strangers, as a model may see it: without what people can't see. Where a reader and a model see different
 * texts, a server can hide orders from the one in front of the other.
 */
import type { Json, JsonObject } from './protocol.js'

// Strings that terminals take (titles, links, the clipboard) end with BEL or ST. Neither they nor parameters hold a control,
// so that none is looked at twice, however many begin and never end.
const escapes = [
  '(?:\\x1b[PX\\]^_]|[\\x90\\x98\\x9d-\\x9f])[^\\0-\\x1f\\x7f-\\x9f]*(?:\\x07|\\x1b\\\\|\\x9c)',
  '(?:\\x1b\\[|\\x9b)[0-?]*[ -/]*[@-~]',
  '\\x1b[ -/]+[0-~]',
  // Not those that begin a string or parameters, which ends nowhere: what follows is read as text.
  '\\x1b(?![PX\\]^_[])[0-~]',
]

const joiners = '\\u200c\\u200d'
const selectors = '\\u180b-\\u180d\\u180f\\ufe00-\\ufe0f\\u{e0100}-\\u{e01ef}'

/** What may be hidden: what belongs nowhere by runs, what has its places one by one. */
function createSuspects(): RegExp {
  const kinds = [
    // The only sequences of tags that are registered, `gbeng`, `gbsct` and `gbwls`: England, Scotland, Wales.
    '(\u{1f3f4}\u{e0067}\u{e0062}(?:\u{e0065}\u{e006e}\u{e0067}|\u{e0073}\u{e0063}\u{e0074}|\u{e0077}\u{e006c}\u{e0073})\u{e007f})',
    `(${escapes.join('|')})`,
    // A run does not swallow what may begin an escape sequence.
    '([\\0-\\x08\\x0b\\x0c\\x0e-\\x1a\\x1c-\\x1f\\x7f-\\x8f\\x91-\\x97\\x99\\x9a\\x9c]+|[\\x1b\\x90-\\x9f])',
    `([${joiners}${selectors}])`,
    '([\\ud800-\\udfff])',
    // Default ignorable (DI) is all that fonts draw nothing for; beside it, marks of interlinear annotation.
    `(?:(?![${joiners}${selectors}])[\\p{DI}\\ufff9-\\ufffb])+`,
  ]
  return new RegExp(kinds.join('|'), 'gu')
}

// Made when first needed: of what is made at once, a bundle can't know that nobody needs it.
let suspects: RegExp | undefined

/**
 * Letters and marks of scripts that change their form at a joiner or non-joiner: from Arabic to Sinhala, Tibetan, Burmese,
 * Khmer, Mongolian, Balinese, Phags-pa, Devanagari's additions, Javanese, Arabic's forms, Hanifi Rohingya, Adlam.
 */
const joining =
  /(?!\p{DI})[\u0600-\u0dff\u0f00-\u109f\u1780-\u18af\u1b00-\u1b7f\ua840-\ua87f\ua8e0-\ua8ff\ua980-\ua9df\ufb50-\ufdff\ufe70-\ufefc\u{10d00}-\u{10d3f}\u{1e900}-\u{1e95f}]$/u
const emojiPart = /(\p{ExtPict}\ufe0f?|\p{EMod})$/u
const pictograph = /^\p{ExtPict}/u

/** Up to which selector, what it selects a form of; after anything else, another selector too, it carries data. */
const selected: [last: number, base: RegExp][] = [
  [0x180f, /\p{Script=Mongolian}$/u],
  // The first three: ideographs, mathematics, punctuation, some scripts.
  [0xfe02, /[\p{Ideo}\p{Sm}\p{scx=Mymr}\p{scx=Phag}0\u2018-\u201d\u3001\u3002\uff01-\uff61]$/u],
  [0xfe0d, /$^/],
  [0xfe0f, /\p{Emoji}$/u],
  // As far as ideographs have registered forms.
  [0xe011f, /\p{UIdeo}$/u],
  [0xe01ef, /$^/],
]

/** Whether a joiner or selector is where scripts and emoji need it. */
function belongs(mark: string, offset: number, text: string): boolean {
  const code = mark.codePointAt(0)!
  // Two units hold the last character whole; of an unrelated one before it no pattern takes notice.
  const before = text.slice(Math.max(0, offset - 2), offset)
  if (code !== 0x200c && code !== 0x200d) return selected.find(([last]) => code <= last)![1].test(before)
  if (joining.test(before)) return true
  // A selector that selects nothing goes itself, and holds nothing together.
  return (
    code === 0x200d &&
    emojiPart.test(text.slice(Math.max(0, offset - 3), offset)) &&
    pictograph.test(text.slice(offset + 1, offset + 3))
  )
}

/** Of what is in none of the groups above. */
const invisible: [kind: string, pattern: RegExp][] = [
  ['tags', /[\u{e0000}-\u{e007f}]/u],
  ['directional characters', /\p{Bidi_C}/u],
  ['zero-width characters', /[\u200b\u2060\ufeff]/],
  ['invisible characters', /[^\u{e0000}-\u{e007f}\p{Bidi_C}\u200b\u2060\ufeff]/u],
]

/** The text without what is hidden; `kinds` gets the kinds of it. */
function strip(text: string, kinds?: Set<string>): string {
  suspects ??= createSuspects()
  return text.replace(suspects, (suspect: string, flag, sequence, control, placed, half, offset: number) => {
    if (flag || (placed && belongs(placed, offset, text))) return suspect
    if (!kinds) return half ? '\ufffd' : ''
    if (sequence) kinds.add('escape sequences')
    else if (control) kinds.add('control characters')
    else if (placed) kinds.add(/[\u200c\u200d]/.test(placed) ? 'zero-width characters' : 'variation selectors')
    else if (half) kinds.add('halves of characters')
    else for (const [kind, pattern] of invisible) if (pattern.test(suspect)) kinds.add(kind)
    return ''
  })
}

/**
 * The text without what people can't see and terminals obey. What scripts and emoji need stays: joiners within them,
 * selectors after what they select, registered flags; tabs and line ends. Half a character becomes U+FFFD.
 */
export function cleanText(text: string): string {
  return strip(text)
}

/** What kinds of hidden text the strings and keys of a value hold, in words for a finding; none of a clean one. */
export function hiddenIn(value: Json): string[] {
  const kinds = new Set<string>()
  const ahead: Json[] = [value]
  while (ahead.length > 0) {
    const next = ahead.pop()!
    if (typeof next === 'string') strip(next, kinds)
    if (typeof next !== 'object' || next === null) continue
    if (!Array.isArray(next)) for (const key of Object.keys(next)) ahead.push(key)
    for (const member of Object.values(next)) ahead.push(member)
  }
  return [...kinds].sort()
}

/**
 * A copy of a value, its strings and keys clean, however deep it is. Where two keys become the same, the one that was clean
 * keeps its name and the other is numbered: `a`, `a (2)`.
 */
export function cleanJson(value: Json): Json {
  // No recursion: a server may nest as deep as its reply is long.
  const ahead: Record<string, Json>[] = []
  const copyOf = (item: Json): Json => {
    if (typeof item === 'string') return cleanText(item)
    if (typeof item !== 'object' || item === null) return item
    const copy = Array.isArray(item) ? [...item] : withCleanKeys(item)
    ahead.push(copy as Record<string, Json>)
    return copy
  }
  const whole = copyOf(value)
  for (let next = ahead.pop(); next; next = ahead.pop()) {
    // Members of their own, `__proto__` as well, so that assigning calls no setter.
    for (const key of Object.keys(next)) next[key] = copyOf(next[key]!)
  }
  return whole
}

function withCleanKeys(value: JsonObject): JsonObject {
  const names = Object.keys(value).map((name) => [name, cleanText(name)] as const)
  const taken = new Set(names.flatMap(([name, clean]) => (name === clean ? [name] : [])))
  /** How far a name was counted, so that a thousand equal ones are not counted from the start each. */
  const counted = new Map<string, number>()
  return Object.fromEntries(
    names.map(([name, clean]) => {
      if (name === clean) return [name, value[name]!]
      let free = clean
      let count = counted.get(clean) ?? 1
      while (taken.has(free)) free = `${clean} (${++count})`
      counted.set(clean, count)
      taken.add(free)
      return [free, value[name]!]
    }),
  )
}
