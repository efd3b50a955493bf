import { delay } from '../abort.js'
import type { ConnectionEvent } from '../connection.js'
import type { Finding, JsonObject } from '../protocol.js'
import { createDeadline } from './deadline.js'
import { type ListKind, type ListMethod, listKinds } from './list-pages.js'
import type { Lists } from './lists.js'

/** Reads lists anew when their server says that they changed, and then tells the app. */
export interface ListRefresh {
  /** The server says that a list has changed. */
  changed(kind: ListKind): void
  /** Changes may have been missed: what was read is read again for those who listen, who are told where it differs. */
  recheck(): void
}

export interface ListRefreshOptions {
  server: string
  lists: Lists
  capabilities(): JsonObject
  /** Whether somebody listens for changed lists. */
  isListened(): boolean
  emit(event: ConnectionEvent): void
  report(finding: Finding): void
  callTimeoutMs: number | null
  now(): number
  setTimer(ms: number, run: () => void): () => void
  closing: AbortSignal
}

/** Milliseconds between two readings of one list; doubled while they fail or bring nothing new, up to the longest. */
const intervalMs = 1_000
const longestIntervalMs = 60_000
/** Readings in a row that may fail before the app is told all the same, and whoever reads asks the server. */
const maxFailures = 4
const defaultTimeoutMs = 300_000

interface Refreshing {
  running: boolean
  /** What the next reading is for; however many ask for it meanwhile, it is one. */
  next?: { announce: boolean } | undefined
  waitMs: number
  lastAt: number
}

/**
 * One reading runs, and one waits: hundreds of notifications in a second cost two readings, and a change that comes
 * during one is seen by the next. A server that says "changed" in the very answer to a reading is asked ever more slowly.
 */
export function createListRefresh(options: ListRefreshOptions): ListRefresh {
  const { server, lists, capabilities, isListened, emit, report, callTimeoutMs, now, setTimer, closing } = options
  const states = Object.fromEntries(
    listKinds.map((kind) => [kind, { running: false, waitMs: intervalMs, lastAt: Number.NEGATIVE_INFINITY }]),
  ) as Record<ListKind, Refreshing>

  function request(kind: ListKind, announce: boolean): void {
    const state = states[kind]
    ask(state, announce)
    if (state.running) return
    if (now() - state.lastAt >= state.waitMs) state.waitMs = intervalMs
    state.running = true
    // Rejects only when the connection is closed.
    run(kind, state).catch(() => {})
  }

  async function run(kind: ListKind, state: Refreshing): Promise<void> {
    for (let failures = 0; state.next; ) {
      const dueInMs = state.lastAt + state.waitMs - now()
      // A clock that was set back must not make it wait for ever.
      if (dueInMs > 0) await delay(Math.min(dueInMs, state.waitMs), closing, setTimer)
      const { announce } = state.next
      state.next = undefined
      state.lastAt = now()
      // Until it is read again, the old one that was kept after a failure is asked for too.
      if (failures > 0) lists.forget(kind)
      const methods = methodsToRead(kind)
      try {
        const differs = await read(methods)
        failures = 0
        state.waitMs = differs ? intervalMs : slower(state.waitMs)
        if (announce || differs) emit({ type: 'list-changed', list: kind })
      } catch (error) {
        closing.throwIfAborted()
        failures++
        state.waitMs = slower(state.waitMs)
        report({
          code: 'list-refresh-failed',
          message: `The list of ${kind} has changed, but could not be read (the old one is kept): ${(error as Error).message}`,
        })
        if (failures < maxFailures) {
          lists.restore(methods)
          ask(state, announce)
        } else if (announce) emit({ type: 'list-changed', list: kind })
      }
    }
    state.running = false
  }

  async function read(methods: ListMethod[]): Promise<boolean> {
    const deadline = createDeadline({
      signal: closing,
      timeoutMs: callTimeoutMs ?? defaultTimeoutMs,
      setTimer,
      now,
      what: `Reading ${methods.join(' and ')} anew on ${server}`,
      advice: 'the server was told to stop',
    })
    try {
      return await lists.renew(methods, { deadline })
    } catch (error) {
      throw deadline.signal.aborted ? deadline.reason : error
    } finally {
      deadline.end()
    }
  }

  /** What somebody has read; else, since somebody listens, the list itself. */
  function methodsToRead(kind: ListKind): ListMethod[] {
    const known = lists.known(kind)
    return known.length > 0 ? known : [`${kind}/list`]
  }

  return {
    changed(kind) {
      // Who has no such list has said so in the handshake.
      if (!capabilities()[kind]) return
      lists.forget(kind)
      if (lists.known(kind).length > 0 || isListened()) request(kind, true)
    },
    recheck() {
      for (const kind of listKinds) {
        lists.forget(kind)
        // Where nobody listens, the next one who reads will ask.
        if (isListened() && lists.known(kind).length > 0) request(kind, false)
      }
    },
  }
}

function ask(state: Refreshing, announce: boolean): void {
  state.next = { announce: announce || state.next?.announce === true }
}

const slower = (ms: number) => Math.min(ms * 2, longestIntervalMs)
