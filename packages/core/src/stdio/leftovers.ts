import process from 'node:process'

/** What is done with the children that live when this process ends. */
interface Leftover {
  /** Asks it to end. */
  terminate(): void
  /** Ends it, before this returns. */
  kill(): void
}

/** Those that end a process unless it has a listener. */
const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
/** Milliseconds that children have to end when a signal ends this process. */
const graceMs = 1_000

/** What marks the listeners of every copy of this module that the process has loaded. */
const passesOn = Symbol.for('@x/core/stdio: passes the signal on')

const leftovers = new Set<Leftover>()
let onEmpty = () => {}
let isEnding = false

/**
 * Sees to it that a child does not outlive this process, however that ends but by `SIGKILL`. Children lead process groups
 * of their own, so a terminal's Ctrl-C does not reach them by itself.
 *
 * @returns What to call when the child has ended.
 */
export function endWithProcess(leftover: Leftover): () => void {
  if (leftovers.size === 0) {
    process.on('exit', killAll)
    for (const signal of signals) process.on(signal, onSignal)
  }
  leftovers.add(leftover)
  return () => {
    if (!leftovers.delete(leftover) || leftovers.size > 0) return
    process.off('exit', killAll)
    // While this process ends, its signal is still to be passed on.
    if (!isEnding) for (const signal of signals) process.off(signal, onSignal)
    onEmpty()
  }
}

function killAll(): void {
  for (const { kill } of leftovers) kill()
}

/** Listening to a signal takes its effect away; unless somebody else decides about it, it has it all the same. */
function onSignal(signal: NodeJS.Signals): void {
  if (!isEnding && isDecidedElsewhere(signal)) return
  const end = () => {
    clearTimeout(timer)
    killAll()
    for (const one of signals) process.off(one, onSignal)
    process.kill(process.pid, signal)
  }
  const timer = setTimeout(end, isEnding ? 0 : graceMs)
  isEnding = true
  onEmpty = end
  for (const { terminate } of leftovers) terminate()
}
onSignal[passesOn] = true

/**
 * Whether somebody else listens who does not only clean up. Those who do, as another copy of this module and the `signal-exit`
 * of many command line tools, leave the signal to others where there are any: each would leave it to the other, and
 * Ctrl-C would do nothing.
 */
function isDecidedElsewhere(signal: NodeJS.Signals): boolean {
  const others = process.listeners(signal).filter((listener) => !(passesOn in listener))
  return others.length > countOf(process, '__signal_exit_emitter__') + countOf(globalThis, signalExit4)
}

const signalExit4 = Symbol.for('signal-exit emitter')

/** How many listeners to each signal a version of `signal-exit` says that it has. */
function countOf(holder: object, key: string | symbol): number {
  const { count } = ((holder as Record<string | symbol, unknown>)[key] ?? {}) as { count?: unknown }
  return typeof count === 'number' ? count : 0
}
