import { spawn } from 'node:child_process'
import type { Socket } from 'node:net'
import process from 'node:process'

/**
 * What a shell does that outlives this process: its input ends when this process does, whatever ended that. A line on it
 * says that there is nothing left to do.
 */
const watch = 'read -r _ || { kill -s TERM -- "-$0" && sleep 1 && kill -s KILL -- "-$0"; }'

/** What is ended when this process exits, where no shell sees to it. */
const unwatched = new Set<() => void>()

/**
 * Sees to it that a server does not outlive this process, however that ends. Not by listening to signals: whoever listens
 * takes their effect away, and of several who all pass a signal on when nobody else listens, none does.
 *
 * @param pid - The server's process, and the group that it leads.
 * @param kill - Ends it before this returns.
 * @returns What to call when nothing is left of it.
 */
export function endWithProcess(pid: number, kill: () => void): () => void {
  const stopWatching = process.platform === 'win32' ? undefined : startWatch(pid, () => add(kill))
  if (!stopWatching) add(kill)
  return () => {
    stopWatching?.()
    remove(kill)
  }
}

/** @param onFailed - There is no shell, as in images that hold nothing but Node. */
function startWatch(pid: number, onFailed: () => void): () => void {
  let isDone = false
  const shell = spawn('/bin/sh', ['-c', watch, String(pid)], { stdio: ['pipe', 'ignore', 'ignore'], detached: true })
  shell.on('error', () => isDone || onFailed())
  // Of a process that has no files left there are no pipes.
  const input = shell.stdin as Socket | undefined
  input?.on('error', () => {})
  // Neither keeps this process alive.
  shell.unref()
  input?.unref()
  return () => {
    isDone = true
    input?.end('\n')
  }
}

function add(kill: () => void): void {
  if (unwatched.size === 0) process.on('exit', killAll)
  unwatched.add(kill)
}

function remove(kill: () => void): void {
  if (unwatched.delete(kill) && unwatched.size === 0) process.off('exit', killAll)
}

function killAll(): void {
  for (const kill of unwatched) kill()
}
