import { type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser'
import { type Faults, quote } from './faults.js'
import { excessOf, type Located, lineCounter, listAt, type Member, objectAt, scalarAt } from './located.js'

/**
 * Reads JSON; comments and trailing commas are allowed, as editors write them. A key that is there twice is a fault, also
 * where parsers take the last one.
 *
 * @throws {ConfigError} `ERR_MCP_CONFIG` for what is no JSON.
 */
export function readJson(text: string, faults: Faults): Located {
  const lineOf = lineCounter(text)
  const errors: ParseError[] = []
  try {
    const root = parseTree(text, errors, { allowTrailingComma: true })
    const [first] = errors
    // The parser's words, not the text: that may be in the middle of a secret.
    if (first) faults.add(lineOf(first.offset), `this is no JSON: ${words(printParseErrorCode(first.error))}`)
    faults.check()
    const located = locateNode(root!, lineOf, faults)
    const excess = excessOf(located)
    if (excess) faults.add(undefined, excess)
    faults.check()
    return located
  } catch (error) {
    // Where the stack ends, what is left of it is of no use: the file is what is wrong.
    if (!(error instanceof RangeError)) throw error
    faults.add(undefined, 'it is nested too deeply')
    faults.check()
    throw error
  }
}

/** `CommaExpected` as people say it. */
const words = (code: string) => code.replace(/(?<=.)[A-Z]/g, (letter) => ` ${letter}`).toLowerCase()

function locateNode(node: Node, lineOf: (offset: number) => number, faults: Faults): Located {
  const line = lineOf(node.offset)
  const { children = [] } = node
  if (node.type === 'array')
    return listAt(
      line,
      children.map((child) => locateNode(child, lineOf, faults)),
    )
  if (node.type !== 'object') return scalarAt(line, node.value as string | number | boolean | null)
  const entries = new Map<string, Member>()
  for (const { children: pair } of children) {
    const [key, value] = pair as [Node, Node]
    const at = lineOf(key.offset)
    addMember(entries, key.value as string, { line: at, value: locateNode(value, lineOf, faults) }, faults)
  }
  return objectAt(line, entries)
}

/** Puts a key in, or reports that it is there already. */
export function addMember(entries: Map<string, Member>, key: string, member: Member, faults: Faults): void {
  const earlier = entries.get(key)
  if (earlier) faults.add(member.line, `the key ${quote(key)} is there already, on line ${earlier.line}`, { key })
  else entries.set(key, member)
}
