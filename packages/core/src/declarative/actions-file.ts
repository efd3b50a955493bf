import type { JsonObject } from '../protocol.js'
import { namesIn, resultName } from './argument-references.js'
import { readDocument } from './document.js'
import { createFaults, type Faults, quote, quotePath } from './faults.js'
import { type Located, type LocatedObject, stringOf, toJsonObject } from './located.js'

/** A step of a workflow that calls a tool. */
export interface ToolAction {
  kind: 'invoke_mcp_tool'
  /** What errors call the action. Default: its place in the list. */
  id?: string
  /** A key of the map of servers: `stdio://NAME`, or a URL. */
  serverUrl: string
  toolName: string
  /** `${name}` and `${name.path}` stand for results of earlier actions; see {@link runActions}. */
  arguments?: JsonObject
  /** `result` names what later actions call this one's result. */
  output?: { result?: string }
  /** Where a file has the action. */
  source?: ActionSource
}

export interface ActionSource {
  file?: string
  line: number
  serverLine: number
  toolLine: number
}

/**
 * Reads the actions of a file, for {@link runActions}: a list of them, or the list that an object has under `actions`.
 *
 * @param options.file - The file's name: `.yaml`, `.yml`, `.json` or `.jsonc` says how it is read.
 * @throws {ConfigError} `ERR_MCP_CONFIG` with everything that is wrong: `data.errors` has one error for each fault, with
 *   `file`, `line` and `key`. An action of another kind is a fault, and so is a reference to what no earlier action has.
 */
export function readActions(text: string, { file }: { file?: string } = {}): ToolAction[] {
  const faults = createFaults(file)
  const root = readDocument(text, file, faults)
  const list = root.kind === 'object' ? root.entries.get('actions')?.value : root
  if (list?.kind !== 'list')
    faults.add(list?.line ?? root.line, 'it must be a list of actions, or an object with "actions"')
  faults.check()
  const actions = (list as { items: Located[] }).items.flatMap(
    (item, index) => readAction(item, index, file, faults) ?? [],
  )
  checkNames(actions, [], faults)
  faults.check()
  return actions
}

function readAction(item: Located, index: number, file: string | undefined, faults: Faults): ToolAction | undefined {
  const wrong = (line: number, what: string, ...keys: string[]) =>
    faults.add(line, `${quotePath('actions', index, ...keys)} ${what}`, { key: ['actions', index, ...keys].join('.') })
  if (item.kind !== 'object') {
    wrong(item.line, 'must be an object')
    return
  }
  const { entries } = item
  const lineOf = (key: string) => entries.get(key)?.line ?? item.line
  const required = (key: string): string => {
    const text = stringOf(entries.get(key)?.value)
    if (!text) wrong(lineOf(key), 'must be a string that is not empty', key)
    return text ?? ''
  }
  const object = (key: string): LocatedObject | undefined => {
    const value = entries.get(key)?.value
    if (value && value.kind !== 'object') wrong(lineOf(key), 'must be an object', key)
    return value?.kind === 'object' ? value : undefined
  }
  if (required('kind') !== 'invoke_mcp_tool') {
    if (stringOf(entries.get('kind')?.value))
      wrong(lineOf('kind'), 'must be "invoke_mcp_tool", the one kind that is run here', 'kind')
    return
  }
  const id = entries.has('id') ? required('id') : undefined
  const args = object('arguments')
  const result = object('output')?.entries.get('result')
  const name = stringOf(result?.value)
  if (result && !(name && resultName.test(name)))
    wrong(result.line, 'must be a name: a letter or "_", then letters, digits, "_" and "-"', 'output', 'result')
  return {
    kind: 'invoke_mcp_tool',
    ...(id !== undefined && { id }),
    serverUrl: required('serverUrl'),
    toolName: required('toolName'),
    ...(args && { arguments: toJsonObject(args) }),
    ...(name !== undefined && { output: { result: name } }),
    source: {
      ...(file !== undefined && { file }),
      line: item.line,
      serverLine: lineOf('serverUrl'),
      toolLine: lineOf('toolName'),
    },
  }
}

/**
 * Reports references to results that no earlier action binds, and names that are bound twice.
 *
 * @param given - Names that are bound before the first action.
 */
export function checkNames(actions: readonly ToolAction[], given: readonly string[], faults: Faults): void {
  const bound = new Set(given)
  for (const [index, action] of actions.entries()) {
    const add = (what: string) =>
      faults.add(action.source?.line, `${nameOf(action, index)} ${what}`, { key: `actions.${index}` })
    for (const name of new Set(namesIn(action.arguments ?? {})))
      if (!bound.has(name)) add(`refers to ${quote(name)}, which no earlier action has as its result`)
    const result = action.output?.result
    if (result === undefined) continue
    if (bound.has(result)) add(`has the result ${quote(result)}, which is a name that is there already`)
    bound.add(result)
  }
}

/** What errors call an action. */
export const nameOf = ({ id }: ToolAction, index: number): string => `action ${id === undefined ? index : quote(id)}`
