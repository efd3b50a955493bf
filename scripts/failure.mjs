/** What the person at the terminal can do something about: told in one line, without a stack. */
export class Failure extends Error {
  name = 'Failure'
}

/** Tells an error and makes the process fail. */
export function tell(error) {
  console.error(error instanceof Failure ? error.message : error)
  process.exitCode = 1
}
