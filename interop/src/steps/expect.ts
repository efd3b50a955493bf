import type { CallToolResult, ContentBlock } from '@x/core'

/** @throws Error that shows both, where they differ as JSON; bytes count by how many they are. */
export function expectEqual(actual: unknown, expected: unknown, what: string): void {
  const [got, wanted] = [toText(actual), toText(expected)]
  if (got !== wanted) throw new Error(`${what}: ${shorten(got)} instead of ${shorten(wanted)}`)
}

/** @throws Error that shows the text, where it does not match. */
export function expectMatch(actual: string | undefined, pattern: RegExp, what: string): void {
  if (actual === undefined || !pattern.test(actual))
    throw new Error(`${what}: ${shorten(toText(actual))} does not match ${pattern}`)
}

/** @throws Error that names what is missing and what is there too much, in any order. */
export function expectNames(actual: string[], expected: string[], what: string): void {
  const missing = expected.filter((name) => !actual.includes(name))
  const further = actual.filter((name) => !expected.includes(name))
  if (missing.length > 0 || further.length > 0 || actual.length !== expected.length)
    throw new Error(`${what}: missing [${missing}], not expected [${further}], ${actual.length} in all`)
}

/** The text of a result's blocks of text, one a line. */
export function textOf(result: { content: ContentBlock[] }): string {
  return result.content.map((block) => (block.type === 'text' ? block.text : `[${block.type}]`)).join('\n')
}

/** @throws Error, where the result is a failure or its text is another. */
export function expectText(result: CallToolResult, expected: string | RegExp): void {
  if (result.isError) throw new Error(`the tool failed: ${shorten(textOf(result))}`)
  if (typeof expected === 'string') expectEqual(textOf(result), expected, 'text')
  else expectMatch(textOf(result), expected, 'text')
}

/** @returns What it rejected with. @throws Error, where it did not. */
export async function expectRejection(promise: Promise<unknown>, what: string): Promise<Error & { code?: string }> {
  const outcome = await promise.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  )
  if ('value' in outcome) throw new Error(`${what} gave ${shorten(toText(outcome.value))}`)
  return outcome.error as Error
}

function toText(value: unknown): string {
  const text = JSON.stringify(value, (_, part: unknown) => {
    if (part instanceof Uint8Array) return `${part.byteLength} bytes`
    if (part === null || typeof part !== 'object' || Array.isArray(part)) return part
    return Object.fromEntries(Object.entries(part).sort(([one], [other]) => (one < other ? -1 : 1)))
  })
  return text ?? 'undefined'
}

function shorten(text: string): string {
  return text.length > 300 ? `${text.slice(0, 300)}…` : text
}
