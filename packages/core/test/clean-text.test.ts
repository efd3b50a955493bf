import { describe, expect, test } from 'vitest'
import { cleanJson, cleanText, hiddenIn } from '../src/clean-text.js'
import type { Json } from '../src/protocol.js'

const tags = (text: string) => [...text].map((letter) => String.fromCodePoint(0xe0000 + letter.charCodeAt(0))).join('')
const flag = (region: string) => `\u{1f3f4}${tags(region)}\u{e007f}`

describe('what scripts and emoji need stays', () => {
  test.each([
    ['Persian with non-joiners', 'می‌خواهم به خانه‌ی تو بیایم'],
    ['a Persian abbreviation that ends in a joiner', '۱۳۹۹ ه‍.ش.'],
    ['Arabic with vowels', 'السَّلامُ عَلَيْكُم'],
    ['Hebrew with points', 'שָׁלוֹם עולם'],
    ['Hindi, joined and not', 'क्‍ष क्‌ष नमस्ते'],
    ['Bengali', 'র‍্যাব'],
    ['Sinhala', 'ශ්‍රී ලංකා'],
    ['Malayalam', 'ക്‍'],
    ['Burmese', 'မြန်မာ'],
    ['Mongolian with a selected form', '\u1820\u180b'],
    ['Japanese, a name in its registered form', '葛\u{e0100}城市'],
    ['Korean', '한국어'],
    ['a mathematical form', '\u2268\ufe00'],
    ['a family', '👨‍👩‍👧‍👦'],
    ['a couple', '👩‍❤️‍💋‍👨'],
    ['skin tones', '👩🏽‍💻 🤷🏻‍♀️ 👍🏿'],
    ['flags', '🇩🇪 🏳️‍🌈 🏴‍☠️'],
    ['registered flags of tags', `${flag('gbeng')}${flag('gbsct')}${flag('gbwls')}`],
    ['keycaps', '1️⃣ #️⃣ *️⃣'],
    ['emoji as text and as pictures', '❤️ ☺︎ ©️'],
    ['tabs and line ends', 'a\tb\r\nc\n'],
    ['no-break and ideographic spaces', 'a\u00a0b\u3000c'],
    ['rare characters whole', '𠮷野家 🜁'],
  ])('%s', (_, text) => {
    expect(cleanText(text)).toBe(text)
    expect(hiddenIn(text)).toEqual([])
  })
})

describe('what is hidden goes, and is named', () => {
  test.each<[what: string, sent: string, clean: string, kinds: string[]]>([
    ['tags', `a${tags('obey')}b`, 'ab', ['tags']],
    ['tags after a flag that is none', flag('usca!'), '\u{1f3f4}', ['tags']],
    ['tags after a registered flag', `${flag('gbeng')}${tags('obey')}`, flag('gbeng'), ['tags']],
    ['a registered flag without its end', `\u{1f3f4}${tags('gbeng')}`, '\u{1f3f4}', ['tags']],
    [
      'directional controls',
      '\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202ea\u2066\u2067\u2068\u2069',
      'a',
      ['directional characters'],
    ],
    ['a zero-width space', 'a\u200bb', 'ab', ['zero-width characters']],
    ['a word joiner', 'a\u2060b', 'ab', ['zero-width characters']],
    ['byte order marks anywhere', '\ufeffa\ufeff', 'a', ['zero-width characters']],
    ['joiners between Latin letters', 'a\u200db\u200cc', 'abc', ['zero-width characters']],
    ['a second joiner in Persian', 'می\u200c\u200cخواهم', 'می\u200cخواهم', ['zero-width characters']],
    [
      'a joiner after a selector that selects nothing',
      'a\ufe0f\u200d👩',
      'a👩',
      ['variation selectors', 'zero-width characters'],
    ],
    ['a joiner after an emoji and before none', '👨\u200d!', '👨!', ['zero-width characters']],
    ['U+2061 to U+206F', '\u2061\u2064\u2065\u206a\u206f', '', ['invisible characters']],
    ['soft hyphens', 'a\u00adb', 'ab', ['invisible characters']],
    ['fillers', '\u115f\u1160\u3164\uffa0\u17b4\u17b5', '', ['invisible characters']],
    ['a grapheme joiner and a vowel separator', 'a\u034fb\u180e', 'ab', ['invisible characters']],
    ['interlinear annotation', '\ufff9a\ufffab\ufffb', 'ab', ['invisible characters']],
    ['musical and shorthand controls', '\u{1d173}\u{1d17a}\u{1bca0}', '', ['invisible characters']],
    ['default ignorables that nobody has assigned', '\ufff0\u{e0fff}\u{e0080}', '', ['invisible characters']],
    ['a selector after a letter', 'a\ufe0f', 'a', ['variation selectors']],
    ['a run of selectors that spells bytes', '😀\ufe0f\ufe01\u{e0100}\u{e01ef}', '😀\ufe0f', ['variation selectors']],
    ['selectors that select nothing', '字\ufe05字\u{e0180}', '字字', ['variation selectors']],
    ['halves of characters', 'a\ud83db\ude00', 'a\ufffdb\ufffd', ['halves of characters']],
    ['C0, C1 and DEL', 'a\0\x07\x08\x0b\x0c\x1f\x7f\x85\x9ab', 'ab', ['control characters']],
    ['CSI', 'a\x1b[1;31mb\x1b[0m\x9b2Jc\x1b[?25l', 'abc', ['escape sequences']],
    ['OSC to BEL and to ST, C1 as well', '\x1b]0;t\x07a\x1b]8;;u\x1b\\b\x9d0;t\x9cc', 'abc', ['escape sequences']],
    ['DCS, SOS, PM, APC', '\x1bPq\x1b\\\x1bXq\x1b\\\x1b^q\x1b\\\x1b_q\x9ca', 'a', ['escape sequences']],
    ['sequences of two and three', '\x1bc\x1b(B\x1b7a', 'a', ['escape sequences']],
    ['a string that never ends: its text is shown', '\x1b]0;title', ']0;title', ['control characters']],
    ['a sequence behind another control', '\0\x1b[31ma', 'a', ['control characters', 'escape sequences']],
    ['several kinds', `\u200b${tags('x')}\u202e`, '', ['directional characters', 'tags', 'zero-width characters']],
  ])('%s', (_, sent, clean, kinds) => {
    expect(cleanText(sent)).toBe(clean)
    expect(hiddenIn(sent)).toEqual(kinds)
    // What is clean stays so: nothing that goes brings two harmless pieces together.
    expect(cleanText(clean)).toBe(clean)
    expect(hiddenIn(clean)).toEqual([])
  })
})

test('long hostile texts are read once: their length doubles the work, no more', () => {
  // No time is taken: a quadratic pattern would need minutes here, and the run's own limit would end it.
  const million = 1_000_000
  for (const piece of ['\x1b]', '\x9d', '\x1b[', '\x1b ', '\x1b[0', 'ا\u200c', '\u{1f3f4}\u{e0067}', '\u200b'])
    expect(cleanText(piece.repeat(million / piece.length)).length).toBeLessThanOrEqual(million)
  expect(cleanText(`\x1b[${'0'.repeat(million)}`)).toHaveLength(million + 1)
  expect(cleanText(`\x1b${' '.repeat(million)}`)).toHaveLength(million)
})

describe('a JSON value', () => {
  test('has its strings and keys cleaned, in a copy', () => {
    const value = { 'a\u200b': ['x\u202e', { b: '\x1b[1mc' }, 1, null, true] }
    const before = structuredClone(value)
    expect(cleanJson(value)).toEqual({ a: ['x', { b: 'c' }, 1, null, true] })
    expect(value).toEqual(before)
    expect(hiddenIn(value)).toEqual(['directional characters', 'escape sequences', 'zero-width characters'])
  })

  test('loses no member whose key becomes that of another', () => {
    expect(cleanJson({ 'a\u200b': 1, a: 2, 'a\u2060': 3, 'a (2)': 4 })).toEqual({
      'a (3)': 1,
      a: 2,
      'a (4)': 3,
      'a (2)': 4,
    })
    const keyOf = (index: number) => index.toString(2).replace(/0/g, '\u200b').replace(/1/g, '\u2060')
    const many = Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [keyOf(index), index]))
    expect(Object.keys(cleanJson(many) as object)).toHaveLength(20_000)
  })

  test.each(['__proto__', 'constructor', 'toString'])('may have a key %s', (key) => {
    const value = JSON.parse(`{"${key}":{"x":"a\u200b"},"${key}\u200b":1}`) as Json
    const clean = cleanJson(value) as object
    expect(JSON.stringify(clean)).toBe(`{"${key}":{"x":"a"},"${key} (2)":1}`)
    expect(Object.getPrototypeOf(clean)).toBe(Object.prototype)
  })

  test('may be of any depth', () => {
    const depth = 100_000
    let clean = cleanJson(JSON.parse(`${'{"k":['.repeat(depth)}"x\u200b"${']}'.repeat(depth)}`)) as
      | { k: [Json] }
      | string
    for (let level = 0; level < depth; level++) clean = (clean as { k: [typeof clean] }).k[0]
    expect(clean).toBe('x')
  })
})
