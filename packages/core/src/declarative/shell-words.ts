import type { Faults } from './faults.js'

/** What begins something else than a word; a command that holds it does more than to add a server. */
const operators = new Set(['|', '&', ';', '<', '>', '(', ')', '`'])

/**
 * The words of one command, as a POSIX shell takes it apart. Nothing is run and no variable looked up: `$NAME` becomes
 * `${NAME}`, and `~/` at a word's beginning `${HOME}/`, which is what a file of servers has in their place.
 *
 * @see {@link https://pubs.opengroup.org/onlinepubs/9799919799/utilities/V3_chap02.html#tag_19_02}
 */
export function splitWords(text: string, faults: Faults): string[] {
  const words: string[] = []
  let word: string | undefined
  let at = 0
  const wrong = (message: string) => {
    faults.add(lineAt(text, at), message)
    faults.check()
  }
  const add = (more: string) => {
    word = (word ?? '') + more
  }
  const endWord = () => {
    if (word !== undefined) words.push(word)
    word = undefined
  }

  /** `$NAME` at `at`, or `$` alone; `${NAME}` is left as it is. */
  function dollar(): void {
    const rest = text.slice(at + 1, at + 200)
    if (rest.startsWith('(')) wrong('"$(…)" runs a command, which nothing here does')
    if (rest.startsWith("'")) wrong(`"$'…'" is not understood here: quote it otherwise`)
    const [name] = /^[A-Za-z_]\w*/.exec(rest) ?? []
    add(name === undefined ? '$' : `\${${name}}`)
    at += name?.length ?? 0
  }

  function singleQuoted(): void {
    const end = text.indexOf("'", at + 1)
    if (end < 0) wrong('a quote is not closed')
    add(text.slice(at + 1, end))
    at = end
  }

  function doubleQuoted(): void {
    const start = at
    add('')
    for (at++; text[at] !== '"'; at++) {
      const character = text[at]
      if (character === undefined) {
        at = start
        wrong('a quote is not closed')
      } else if (character === '\\' && '$`"\\\n'.includes(text[at + 1] ?? ' ')) {
        at++
        if (text[at] !== '\n') add(text[at]!)
      } else if (character === '$') dollar()
      else if (character === '`') wrong('"`…`" runs a command, which nothing here does')
      else add(character)
    }
  }

  for (; at < text.length; at++) {
    const character = text[at]!
    if (character === '\\') {
      at++
      if (text[at] !== '\n') add(text[at] ?? '')
    } else if (character === "'") singleQuoted()
    else if (character === '"') doubleQuoted()
    else if (character === '$') dollar()
    else if (character === '~' && word === undefined && text[at + 1] === '/') add('${HOME}')
    else if (character === '#' && word === undefined) at = endOfLine(text, at) - 1
    else if (character === '\n') {
      endWord()
      if (words.length > 0 && hasMore(text, at)) wrong('a second command begins after this line')
    } else if (/\s/.test(character)) endWord()
    else if (operators.has(character)) wrong(`"${character}" is more than a command that adds a server`)
    else add(character)
  }
  endWord()
  return words
}

function endOfLine(text: string, at: number): number {
  const end = text.indexOf('\n', at)
  return end < 0 ? text.length : end
}

/** Whether anything but blank lines and comments follows. */
const hasMore = (text: string, at: number) => /^\s*[^\s#]/m.test(text.slice(at + 1))

const lineAt = (text: string, at: number) => text.slice(0, at).split('\n').length
