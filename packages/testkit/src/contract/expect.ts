/** Assertions for the suite: few, and the same in Node, in a page and in a worker. */

/** A failed expectation. */
export class ExpectationError extends Error {
  override name = 'ExpectationError'
}

export function ok(value: unknown, what: string): asserts value {
  if (!value) throw new ExpectationError(what)
}

/** Equal all the way down; bytes by their values. */
export function equal(actual: unknown, expected: unknown, what: string): void {
  if (!same(actual, expected, false))
    throw new ExpectationError(`${what}: ${show(actual)} instead of ${show(expected)}`)
}

/** As `equal`, but objects may hold more than is expected of them. */
export function includes(actual: unknown, expected: unknown, what: string): void {
  if (!same(actual, expected, true)) throw new ExpectationError(`${what}: ${show(actual)} lacks ${show(expected)}`)
}

/** What a promise is rejected with. */
export async function rejection(promise: Promise<unknown>, what: string): Promise<unknown> {
  const outcome = await promise.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  )
  if ('error' in outcome) return outcome.error
  throw new ExpectationError(`${what}: fulfilled with ${show(outcome.value)} instead of rejected`)
}

/** Rejected with an error of this very class. */
export async function rejects<E extends Error>(
  promise: Promise<unknown>,
  errorClass: new (...args: never[]) => E,
  what: string,
): Promise<E> {
  const error = await rejection(promise, what)
  if (error instanceof errorClass) return error
  throw new ExpectationError(`${what}: rejected with ${show(error)} instead of ${errorClass.name}`)
}

function same(actual: unknown, expected: unknown, loose: boolean): boolean {
  if (Object.is(actual, expected)) return true
  if (typeof actual !== 'object' || typeof expected !== 'object' || !actual || !expected) return false
  if (expected instanceof Uint8Array) {
    if (!(actual instanceof Uint8Array) || actual.length !== expected.length) return false
    return expected.every((byte, index) => actual[index] === byte)
  }
  if (Array.isArray(expected) !== Array.isArray(actual)) return false
  const keys = Object.keys(expected)
  if ((!loose || Array.isArray(expected)) && Object.keys(actual).length !== keys.length) return false
  return keys.every((key) => key in actual && same(actual[key as never], expected[key as never], loose))
}

function show(value: unknown): string {
  if (value instanceof Error) return `${value.name}: ${value.message}`
  const text = JSON.stringify(value, (_, item: unknown) =>
    item instanceof Uint8Array ? `${item.length} bytes from ${item.slice(0, 8).join(' ')}` : item,
  )
  return (text ?? String(value)).slice(0, 400)
}
