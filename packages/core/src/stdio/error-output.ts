import type { Readable } from 'node:stream'
import { cleanText } from '../clean-text.js'
import { createLineSplitter, type Line } from './lines.js'

/** Bytes of one line that are told. */
const maxLineBytes = 4 * 1024
/** What is told within a second; the rest is read, so that the server never waits, and left out. */
const maxLines = 500
const maxBytes = 256 * 1024

/**
 * Reads a server's standard error, line by line, for as long as there is anything.
 *
 * @param tell - Takes each line, without what a terminal would take for an order.
 */
export function readErrorOutput(stderr: Readable, now: () => number, tell: (line: string) => void): void {
  const lines = createLineSplitter(maxLineBytes)
  let since = Number.NEGATIVE_INFINITY
  let told = { lines: 0, bytes: 0 }
  let leftOut = 0

  function tellLeftOut(): void {
    if (leftOut > 0) tell(`(${leftOut} more lines were left out: there were too many at once)`)
    leftOut = 0
  }

  function onLine({ bytes, tail }: Line): void {
    if (bytes.length === 0) return
    if (now() - since >= 1_000) {
      tellLeftOut()
      since = now()
      told = { lines: 0, bytes: 0 }
    }
    if (told.lines >= maxLines || told.bytes + bytes.length > maxBytes) {
      leftOut++
      return
    }
    told = { lines: told.lines + 1, bytes: told.bytes + bytes.length }
    const text = readableText(bytes.toString('utf8'))
    tell(tail ? `${text}… (cut)` : text)
  }

  stderr.on('data', (chunk: Buffer) => {
    for (const line of lines.push(chunk)) onLine(line)
  })
  stderr.on('close', () => {
    const rest = lines.rest()
    if (rest) onLine(rest)
    tellLeftOut()
  })
}

/** Colours and cursor movements of terminals; without their first character the rest of them would be left as text. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const terminalOrder = /(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)?|\x1b[@-Z\\^_]/g

/** What a server has written for people, without what a terminal would take for an order. */
export const readableText = (text: string) => cleanText(text.replace(terminalOrder, '')).trimEnd()
