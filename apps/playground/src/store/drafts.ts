import type { Json, JsonObject } from '@x/web'

/** The arguments of a tool while they are typed. */
export interface Draft {
  mode: 'form' | 'json'
  /** What would be sent. */
  args: JsonObject
  /** What the JSON editor shows. */
  text: string
  /** Why `text` can't be sent. */
  problem?: string
}

export const emptyDraft: Draft = { mode: 'form', args: {}, text: '{}' }

/** The draft with the form's values. */
export function withArgs(draft: Draft, args: JsonObject): Draft {
  return { mode: draft.mode, args, text: JSON.stringify(args, null, 2) }
}

/** The draft with the editor's text. Text that can't be sent leaves the last good arguments. */
export function withText(draft: Draft, text: string): Draft {
  const next: Draft = { mode: draft.mode, args: draft.args, text }
  const read = readArguments(text)
  return read.problem === undefined ? { ...next, args: read.args } : { ...next, problem: read.problem }
}

/** The draft in the other editor. The form can only show what is valid JSON. */
export function withMode(draft: Draft, mode: Draft['mode']): Draft {
  return mode === 'form' ? withArgs({ ...draft, mode }, draft.args) : { ...draft, mode }
}

/** Arguments from the editor's text: a JSON object, or nothing at all. */
export function readArguments(text: string): { args: JsonObject; problem?: never } | { problem: string } {
  if (!text.trim()) return { args: {} }
  let value: Json
  try {
    value = JSON.parse(text) as Json
  } catch (error) {
    return { problem: `This is not valid JSON: ${(error as Error).message}.` }
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return { problem: 'Arguments must be a JSON object, such as {"name": "value"}.' }
  return { args: value }
}
