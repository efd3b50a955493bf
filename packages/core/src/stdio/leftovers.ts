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

/** Listening to a signal takes its effect away; unless somebody else listens, it has it all the same. */
function onSignal(signal: NodeJS.Signals): void {
  if (!isEnding && process.listenerCount(signal) > 1) return
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
