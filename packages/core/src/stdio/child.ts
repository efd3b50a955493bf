import { type ChildProcessWithoutNullStreams, spawnSync } from 'node:child_process'
import process from 'node:process'
import type { Readable } from 'node:stream'
import { getDefaultEnvironment } from '@modelcontextprotocol/client/stdio'
import spawn from 'cross-spawn'
import { ConnectError, DisconnectedError } from '../errors.js'
import { endWithProcess } from './leftovers.js'
import type { LocalServer } from './local-server.js'

/** A local server's process, and what it has started itself. */
export interface Child {
  /** Where there are process groups, its group's too. */
  readonly pid: number
  readonly stdout: Readable
  readonly stderr: Readable
  /** Resolves with the exit code, or the signal that ended it. */
  readonly exited: Promise<number | string>
  /** Resolves when it takes no input any more. */
  readonly deaf: Promise<void>
  /** Resolves when the child has room for more. */
  write(text: string): Promise<void>
  /**
   * Closes its input; sends `SIGTERM` to it and all that it has started if it is not gone {@link patienceMs} later, and
   * `SIGKILL` after as long again. Resolves when all are gone.
   */
  stop(): Promise<void>
}

/** Milliseconds between two steps of ending a child. */
export const patienceMs = 2_000
/** Milliseconds between two looks at whether a process group is gone. */
const lookMs = 10

type SetTimer = (ms: number, run: () => void) => () => void

const isWindows = process.platform === 'win32'

/**
 * Starts a local server, in a process group of its own: what a wrapper such as `npx` or a shell has started ends with it.
 *
 * @throws {ConnectError} `ERR_MCP_CONNECT` with `data.errno` when the command can't be started.
 */
export async function startChild({ command, args = [], env, cwd }: LocalServer, setTimer: SetTimer): Promise<Child> {
  let child: ChildProcessWithoutNullStreams
  try {
    child = spawn(command, [...args], {
      env: { ...getDefaultEnvironment(), ...env },
      ...(cwd !== undefined && { cwd }),
      stdio: 'pipe',
      // Windows has no process groups, and opens a console for what is detached.
      detached: !isWindows,
      windowsHide: true,
    }) as ChildProcessWithoutNullStreams
  } catch (error) {
    throw notStarted(command, error)
  }
  // First of all: what could not be started tells so by an event, and may have no pipes.
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve)
    child.on('error', (error) => reject(notStarted(command, error)))
  })
  const exited = new Promise<number | string>((resolve) => {
    child.once('exit', (code, signal) => resolve(code ?? signal ?? 'unknown'))
  })
  const deaf = new Promise<void>((resolve) => {
    child.stdin.once('close', resolve)
  })
  // Its pipes break when it dies, and its end is what is told.
  for (const stream of [child.stdin, child.stdout, child.stderr]) stream.on('error', () => {})
  const pid = child.pid!
  const forget = endWithProcess(pid, () => signalAll(pid, 'SIGKILL'))
  let stopped: Promise<void> | undefined

  let hasExited = false
  void exited.then(() => {
    hasExited = true
  })
  const isGone = () => hasExited && !isThere(pid)

  /** Nothing tells of the end of what is not our own child, so it is looked for. */
  async function goneInTime(): Promise<boolean> {
    for (let looks = 0; looks < patienceMs / lookMs && !isGone(); looks++)
      await new Promise<void>((resolve) => void setTimer(lookMs, resolve))
    return isGone()
  }

  async function stop(): Promise<void> {
    child.stdin.end()
    for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
      if (await goneInTime()) break
      signalAll(pid, signal)
    }
    await goneInTime()
    forget()
    // Something that has left the group may still hold them.
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream.destroy()
  }

  return {
    pid,
    stdout: child.stdout,
    stderr: child.stderr,
    exited,
    deaf,
    write(text) {
      return new Promise((resolve, reject) => {
        child.stdin.write(text, (error) => (error ? reject(gone(command)) : resolve()))
      })
    },
    stop: () => (stopped ??= stop()),
  }
}

/** Sends a signal to a child and all that it has started; to nobody, where all are gone. */
function signalAll(pid: number, signal: NodeJS.Signals): void {
  // There only an end by force reaches more than the child itself.
  if (isWindows) spawnSync('taskkill', ['/pid', String(pid), '/T', '/F'], { stdio: 'ignore', windowsHide: true })
  else attempt(() => process.kill(-pid, signal))
}

/** Whether anything is left of a child's process group. */
function isThere(pid: number): boolean {
  return !isWindows && attempt(() => process.kill(-pid, 0))
}

function attempt(run: () => void): boolean {
  try {
    run()
    return true
  } catch {
    return false
  }
}

/** The system's own error names every argument, among which may be a secret: of it only the code is told. */
function notStarted(command: string, error: unknown): ConnectError {
  const { code } = error as { code?: unknown }
  const errno = typeof code === 'string' ? code : 'unknown'
  return new ConnectError(`"${command}" could not be started (${errno}): ${advice(errno)}`, {
    data: { reason: 'not-started', command, errno },
  })
}

function advice(errno: string): string {
  if (errno === 'ENOENT')
    return 'there is no such command on the PATH that it is given, or "cwd" does not exist; an absolute path is safest'
  if (errno === 'EMFILE' || errno === 'ENFILE')
    return 'too many files are open; close connections, or raise the limit of open files'
  if (errno === 'EACCES') return 'it may not be executed, or "cwd" may not be entered'
  return 'see the system error of that name'
}

function gone(command: string): DisconnectedError {
  return new DisconnectedError(`"${command}" takes no messages any more`, { data: { reason: 'exited', command } })
}
