import { toErrorData } from '../../errors.js'
import type { Finding, JsonObject } from '../../protocol.js'

/** What a server gets to its question: the result, or a JSON-RPC error. */
export type Answer = { result: JsonObject } | { refused: Refused }

export interface Refused {
  code: number
  /** For the server: nothing of the app's is in it. */
  message: string
  cause?: unknown
}

/** How one question is put to the app. */
export interface Asking {
  server: string
  tool?: string
  report(finding: Finding): void
  /** Runs the hook, whose time counts against no deadline; rejects as soon as nobody waits for the answer any more. */
  ask<Value>(hook: () => Promise<Value>): Promise<Asked<Value>>
}

/** What came of a hook. */
export type Asked<Value> = { answer: Value } | { thrown: unknown }

/** JSON-RPC codes of refusals. */
export const methodNotFound = -32601
export const invalidParams = -32602
export const internalError = -32603

export const refuse = (code: number, message: string, cause?: unknown): Answer => ({
  refused: { code, message, ...(cause !== undefined && { cause }) },
})

/** Who asks, for findings. */
export const askerOf = ({ tool }: Asking): string =>
  tool === undefined ? 'the server' : `the tool ${JSON.stringify(tool).slice(0, 80)}`

/** What a hook threw, as one line. */
export const reasonOf = (thrown: unknown): string => toErrorData(thrown).message.split('\n', 1)[0]!.slice(0, 200)

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Whether JSON can hold a value: an app's answer may be a ring, or have a bigint in it. Bytes become text later. */
export function isJson(value: unknown): boolean {
  try {
    return JSON.stringify(value, (_key, item) => (item instanceof Uint8Array ? '' : item)) !== undefined
  } catch {
    return false
  }
}
