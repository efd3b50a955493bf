import { isAlias, isCollection, isMap, isScalar, type Node, parseDocument, type YAMLError, type YAMLMap } from 'yaml'
import { type Faults, quote } from './faults.js'
import { addMember } from './json-text.js'
import { excessOf, type Located, lineCounter, listAt, type Member, objectAt, scalarAt } from './located.js'

/**
 * Reads one YAML 1.2 document of JSON's values; anchors, aliases and merge keys are resolved.
 *
 * @throws {ConfigError} `ERR_MCP_CONFIG` for what is no YAML, for several documents, and for values that JSON has not.
 */
export function readYaml(text: string, faults: Faults): Located {
  refuseDepth(text, faults)
  const lineOf = lineCounter(text)
  const document = parseDocument(text, { prettyErrors: false, uniqueKeys: false, merge: true, logLevel: 'error' })
  // The first one: those after it come of it. Its kind in our words: the parser's would quote the text.
  const [error = document.warnings[0]] = document.errors
  if (error) faults.add(lineOf(error.pos[0]), `this YAML can't be read: ${words(error)}`)
  faults.check()
  const root = document.contents as Node | null
  if (!root) faults.add(undefined, 'it holds nothing but comments')
  faults.check()
  const located = createReader(lineOf, faults)(root!)
  refuseExcess(located, faults)
  faults.check()
  return located
}

function refuseExcess(extent: { size: number; depth: number }, faults: Faults): void {
  const excess = excessOf(extent)
  if (!excess) return
  faults.add(undefined, excess)
  faults.check()
}

/** Columns that a line may be indented by, and marks (`- ? :`) that it may have: each level of nesting needs one of them. */
const maxIndent = 400
const maxMarks = 100
const maxOpenBrackets = 500

/** Before anything is parsed: a parser that runs out of stack can take the whole process with it. */
function refuseDepth(text: string, faults: Faults): void {
  let open = 0
  for (const [at, row] of text.split('\n').entries()) {
    let isDeep = row.length > maxIndent && row.search(/[^ \t]/) > maxIndent
    if (row.length > maxMarks) isDeep ||= (row.match(/(?<![^ \t])[-?:](?=[ \t])/g)?.length ?? 0) > maxMarks
    for (const [bracket] of row.matchAll(/[[\]{}]/g)) {
      open += bracket === '[' || bracket === '{' ? 1 : open > 0 ? -1 : 0
      isDeep ||= open > maxOpenBrackets
    }
    if (!isDeep) continue
    faults.add(at + 1, 'it is nested too deeply')
    faults.check()
  }
}

/** Kinds of faults as people say them; the rest as the parser calls them. */
const said: Partial<Record<YAMLError['code'], string>> = {
  BAD_INDENT: 'the indentation is wrong',
  BAD_SCALAR_START: 'a value begins with a reserved character; quote it',
  MISSING_CHAR: 'a quote, a bracket, a comma or a colon is missing',
  MULTILINE_IMPLICIT_KEY: 'a key spans lines, or a colon is missing',
  MULTIPLE_DOCS: 'it holds a second document',
  TAB_AS_INDENT: 'a tab indents it; use spaces',
  TAG_RESOLVE_FAILED: 'it has a tag that is not known here',
}

const words = ({ code }: YAMLError) => said[code] ?? code.toLowerCase().replaceAll('_', ' ')

function createReader(lineOf: (offset: number) => number, faults: Faults): (node: unknown) => Located {
  // By name, in the document's order: a later anchor of the same name is meant from there on.
  const anchors = new Map<string, Located>()
  let line = 1
  let mergedMembers = 0

  const read = (node: unknown): Located => {
    line = startOf(node) ?? line
    if (isAlias(node)) return alias(node.source)
    const located = plain(node, line)
    if ((isScalar(node) || isCollection(node)) && node.anchor !== undefined) anchors.set(node.anchor, located)
    return located
  }
  const startOf = (node: unknown) => {
    const range = (node as Partial<Node> | null)?.range
    return range ? lineOf(range[0]) : undefined
  }

  function alias(name: string): Located {
    const target = anchors.get(name)
    if (target) return target
    faults.add(line, `the alias ${quote(`*${name}`)} has no anchor before it, or is within its own`)
    return scalarAt(line, null)
  }

  function plain(node: unknown, at: number): Located {
    if (isMap(node)) return map(node, at)
    if (isCollection(node)) return listAt(at, node.items.map(read))
    const value = isScalar(node) ? node.value : null
    const isJson = value === null || ['string', 'boolean'].includes(typeof value) || Number.isFinite(value)
    if (!isJson) faults.add(at, 'the value is none that JSON has')
    return scalarAt(at, isJson ? (value as string | number | boolean | null) : null)
  }

  function map(node: YAMLMap, at: number): Located {
    const entries = new Map<string, Member>()
    const merged: Located[] = []
    for (const { key, value } of node.items) {
      line = startOf(key) ?? line
      const keyLine = line
      if (!isScalar(key) || key.value === null) {
        faults.add(keyLine, 'a key must be a name')
        continue
      }
      if (isMergeKey(key.value)) merged.push(...mergeSources(read(value), keyLine))
      else addMember(entries, String(key.value), { line: keyLine, value: read(value) }, faults)
    }
    // What is written out wins over what is merged, and what is merged first over what comes later.
    for (const source of merged) {
      if (source.kind !== 'object') continue
      mergedMembers += source.entries.size
      refuseExcess({ size: mergedMembers, depth: 0 }, faults)
      for (const [key, member] of source.entries) if (!entries.has(key)) entries.set(key, member)
    }
    return objectAt(at, entries)
  }

  function mergeSources(value: Located, at: number): Located[] {
    const sources = value.kind === 'list' ? value.items : [value]
    if (sources.some(({ kind }) => kind !== 'object')) faults.add(at, '"<<" takes a mapping, or a list of mappings')
    return sources
  }

  return read
}

/** With `merge` the parser gives the key as a symbol where it is meant so, and as the string where it is quoted. */
const isMergeKey = (key: unknown) => typeof key === 'symbol'
