import { type Expectation, expectedOutcome, healthy, keys } from '@x/testkit/faulty'
import { createHeldTimers, type HeldTimers } from './held-timers.js'
import type { Run } from './matrix.js'
import type { Place } from './place.js'
import { deadlineMs, type Subject, type SubjectConnection, type SubjectOutcome } from './subject.js'

/** What came of a run. */
export interface RunResult {
  run: Run
  expected: Expectation
  call: SubjectOutcome | 'hung'
  next: SubjectOutcome | 'hung'
  /** The most often that the tool ran for one call. */
  executions: number
  /** Milliseconds of the timers that are left. */
  timers: number[]
  /** Exchanges that are left on the server. */
  open: number
  /** The requests that the server saw. */
  log: string[]
}

/** Real milliseconds after which an outcome no longer comes: nothing here takes one tenth of them. */
const patienceMs = 5_000
/** Turns of the event loop in which a client has read what has arrived. */
const turns = 3
/** Looks at what is left that follow at once upon each other. */
const quickLooks = 20

/** Makes the run's call and one more on a connection of its own, and looks at what is left. */
export async function perform(run: Run, place: Place, subject: Subject): Promise<RunResult> {
  const { script } = run
  const { control } = place
  const expected = expectedOutcome(script, place.http)
  const timers = createHeldTimers()
  await control.begin({ [keys.call]: script, [keys.next]: healthy(script.era, script.form) })
  const { era } = script
  const options = { url: `${place.url}/${era}/mcp`, era, fetch: place.fetch, setTimer: timers.setTimer }
  const connection = await subject.connect(options)

  const calling = connection.call(keys.call)
  const faulted = playFault(place, 'code' in expected.call && expected.call.code === 'ERR_MCP_TIMEOUT', timers)
  const call = await within(calling, patienceMs)
  await within(faulted, patienceMs)
  const next = await within(connection.call(keys.next), patienceMs)
  // The reply was taken, the stream stays open: how long the client bears with it is its own affair, if it does end.
  if (expected.lingers) timers.fire(0)

  const leftOpen = await leftovers(place, timers)
  await closeAll(connection, timers)
  const leftClosed = await leftovers(place, timers)
  const { executions, log } = await control.report()
  return {
    run,
    expected,
    call,
    next,
    executions: Math.max(0, ...Object.values(executions)),
    timers: [...leftOpen.timers, ...leftClosed.timers],
    open: leftOpen.open + leftClosed.open,
    log,
  }
}

/** Lets the fault happen once the client has read all that comes before it; a deadline passes only where it has to. */
async function playFault({ control }: Place, deadlinePasses: boolean, timers: HeldTimers): Promise<void> {
  await control.struck(keys.call)
  for (let turn = 0; turn < turns; turn++) await new Promise(setImmediate)
  await control.release(keys.call)
  if (deadlinePasses) timers.fire(deadlineMs / 2)
}

async function closeAll(connection: SubjectConnection, timers: HeldTimers): Promise<void> {
  if ((await within(connection.close(), patienceMs)) === 'hung') timers.fire(0)
}

/** What is left when nothing more happens; mostly nothing, at once. */
async function leftovers({ control }: Place, timers: HeldTimers): Promise<{ timers: number[]; open: number }> {
  const until = performance.now() + patienceMs / 2
  for (let looks = 0; ; looks++) {
    const { open } = await control.report()
    const left = timers.pending()
    if ((open === 0 && left.length === 0) || performance.now() > until) return { timers: left, open }
    await new Promise((resolve) => (looks < quickLooks ? setImmediate(resolve) : setTimeout(resolve, 5)))
  }
}

async function within<Value>(work: Promise<Value>, ms: number): Promise<Value | 'hung'> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<'hung'>((resolve) => {
    timer = setTimeout(resolve, ms, 'hung')
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
