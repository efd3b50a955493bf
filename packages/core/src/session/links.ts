import { untilAborted } from '../abort.js'
import { fromErrorData, HttpError, McpError, toErrorData, withDetails } from '../errors.js'
import { connectionClosed } from '../transport/http-transport.js'
import type { Link } from './link.js'
import { unsupportedVersion } from './negotiate.js'
import { isOutdated } from './probation.js'

/** The link of this moment, and how another takes its place when the server has lost it. */
export interface Links {
  /** The link that requests go by now; while there is none, the one before. */
  readonly current: Link
  /**
   * Runs one request. When the server refused it because it lost the session, or no longer speaks the revision, there is
   * one new handshake for all that wait, and the request runs once more.
   *
   * @param isPatient - Whether a request that was refused waits until the link is replaced for others, or by {@link Links.want}:
   *   what each new link brings about again must not ask for the next one.
   * @throws What the request threw; or what the handshake threw, as an error of its own with `outcome: 'not-run'`.
   */
  run<Result>(signal: AbortSignal, run: (link: Link) => Promise<Result>, isPatient?: boolean): Promise<Result>
  /** Whether a link is to be there though nobody sends: a lost one is then replaced at once, and tried ever more slowly. */
  want(wanted: boolean): void
  /** Resolves when there is a link, after a handshake where there is none. */
  ready(signal: AbortSignal): Promise<void>
  /** Lets go of the link, which is good no longer; the next one is made when somebody sends. */
  drop(): void
  /** The machine has woken, or the network is back: what waits to be tried again is tried now. */
  wake(): void
  close(): Promise<void>
}

export interface LinksOptions {
  server: string
  /** Whether a lost session is replaced. */
  reinitialize: boolean
  /** Whether there is no link yet: the first one only stands for it. */
  isMissing?: boolean
  /** Whether a lost link is replaced at once, though nobody wants it: {@link LinksOptions.open} does the waiting then. */
  eager?: boolean
  /** Why nothing may be sent for now. */
  refusal?(): McpError | undefined
  now(): number
  setTimer(ms: number, run: () => void): () => void
  /** Makes a new handshake. */
  open(signal: AbortSignal): Promise<Link>
  /** A link was lost, or could not be replaced. */
  onLost(error: unknown): void
  /** There is a new link. */
  onRenewed(link: Link): void
}

/** Sessions in a row that a server may hand out and then refuse at once. */
const maxBarren = 3
/** Milliseconds that a server which refuses its own sessions is left alone. */
const restMs = 30_000
/** Milliseconds until a handshake that failed is tried again unasked; doubled each time. */
const firstWaitMs = 1_000
const longestWaitMs = 30_000

/**
 * Keeps a connection going over the links that a server loses. A link that was replaced is closed when its last request
 * has ended: what it still answers reaches those who asked, and nobody else.
 */
export function createLinks(first: Link, options: LinksOptions): Links {
  const {
    server,
    reinitialize,
    isMissing = false,
    eager = false,
    refusal,
    now,
    setTimer,
    open,
    onLost,
    onRenewed,
  } = options
  const closing = new AbortController()
  const inFlight = new Map<Link, number>()
  /** By which a request was answered: those sessions were good. */
  const proven = new WeakSet<Link>()
  let current = first
  let isLost = isMissing
  let opening: Promise<Link> | undefined
  let wanted = eager
  let reviving = false
  let revivedAt = Number.NEGATIVE_INFINITY
  let waitMs = 0
  /** Told when the next handshake has begun. */
  const onOpening: (() => void)[] = []
  let wakeUp = () => {}
  let barren = 0
  let restUntil = 0

  watch(first)

  function watch(link: Link): void {
    link.transport.onLost((error) => lose(link, error))
  }

  function lose(link: Link, error: unknown): void {
    if (link !== current || isLost || closing.signal.aborted) return
    // What has no other session to offer leaves the connection as it is.
    if (!reinitialize && link.server.transport === 'streamable-http' && !isVersionRefused(error)) return
    isLost = true
    // Who answers so may mean the request alone: that is no session refused.
    if (!eager && !proven.has(link) && !answeredBare(link, error) && ++barren >= maxBarren) restUntil = now() + restMs
    link.transport.listenToServer(false)
    if (!inFlight.get(link)) retire(link)
    onLost(error)
    void revive()
  }

  function retire(link: Link): void {
    void link.client.close().catch(() => {})
  }

  /** Replaces the link unasked, for as long as somebody wants it. */
  async function revive(): Promise<void> {
    if (reviving) return
    reviving = true
    // A server that loses each link soon after it gave it, though it answered by it, would keep us at it without a pause.
    if (now() - revivedAt >= longestWaitMs) waitMs = 0
    const isDue = () => wanted && isLost && !refusal?.() && !closing.signal.aborted
    while (isDue()) {
      if (waitMs > 0) await rest(waitMs * (0.75 + Math.random() / 2))
      if (!isDue()) break
      waitMs = eager ? 0 : Math.min(Math.max(waitMs * 2, firstWaitMs), longestWaitMs)
      await live(closing.signal).catch(() => {})
      revivedAt = now()
    }
    reviving = false
  }

  function rest(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const cancelTimer = setTimer(ms, resolve)
      wakeUp = () => {
        cancelTimer()
        resolve()
      }
    })
  }

  /** The link to send by. One handshake serves all who wait. */
  async function live(signal: AbortSignal): Promise<Link> {
    if (closing.signal.aborted) throw withDetails(connectionClosed(), { outcome: 'not-run' })
    const refused = refusal?.()
    if (refused) throw ownError(refused)
    if (!isLost) return current
    if (now() < restUntil) throw withDetails(refusesItsSessions(), { server, outcome: 'not-run' })
    opening ??= begin()
    try {
      return await untilAborted(signal, opening)
    } catch (error) {
      if (signal.aborted) throw error
      throw ownError(error)
    }
  }

  function begin(): Promise<Link> {
    const replacing = replace().finally(() => {
      opening = undefined
    })
    for (const tell of onOpening.splice(0)) tell()
    return replacing
  }

  /** The link after a lost one, whenever it comes. */
  async function later(signal: AbortSignal): Promise<Link> {
    if (isLost && !opening) await untilAborted(signal, new Promise<void>((resolve) => onOpening.push(resolve)))
    return live(signal)
  }

  async function replace(): Promise<Link> {
    try {
      const link = await open(closing.signal)
      if (closing.signal.aborted) {
        retire(link)
        throw connectionClosed()
      }
      current = link
      isLost = false
      watch(link)
      onRenewed(link)
      return link
    } catch (error) {
      if (!closing.signal.aborted) onLost(error)
      throw error
    }
  }

  async function runBy<Result>(link: Link, run: (link: Link) => Promise<Result>): Promise<Result> {
    inFlight.set(link, (inFlight.get(link) ?? 0) + 1)
    try {
      const result = await run(link)
      prove(link)
      return result
    } catch (error) {
      // A process is lost by its end alone: it is no session of one that lives on.
      const isProcess = link.server.transport === 'stdio'
      if (!isProcess && (isRefusedWithLink(error) || answeredBare(link, error))) lose(link, error)
      else if (McpError.is(error) ? error.data.status !== undefined : hasCode(error)) prove(link)
      throw error
    } finally {
      const left = inFlight.get(link)! - 1
      if (left > 0) inFlight.set(link, left)
      else {
        inFlight.delete(link)
        if (link !== current || isLost) retire(link)
      }
    }
  }

  /** The server has answered by it, so its session was good. */
  function prove(link: Link): void {
    if (proven.has(link)) return
    proven.add(link)
    if (link === current) barren = 0
  }

  return {
    get current() {
      return current
    },
    async run(signal, run, isPatient = false) {
      // One new handshake for each request at the most.
      const waited = isLost
      const link = await live(signal)
      try {
        return await runBy(link, run)
      } catch (error) {
        const done = !isRefusedWithLink(error) || waited || signal.aborted || closing.signal.aborted
        if (done || (link === current && !isLost)) throw error
        return runBy(await (isPatient ? later(signal) : live(signal)), run)
      }
    },
    async ready(signal) {
      await live(signal)
    },
    drop() {
      if (isLost || closing.signal.aborted) return
      isLost = true
      current.transport.listenToServer(false)
      if (!inFlight.get(current)) retire(current)
    },
    want(isWanted) {
      wanted = isWanted || eager
      if (wanted) void revive()
      else wakeUp()
    },
    wake: () => wakeUp(),
    async close() {
      closing.abort(connectionClosed())
      wakeUp()
      await Promise.all([...new Set([...inFlight.keys(), current])].map((link) => link.client.close()))
    },
  }
}

const hasCode = (error: unknown) => typeof (error as { code?: unknown } | null)?.code === 'number'

const isSessionLost = (error: unknown) => McpError.is(error) && error.data.reason === 'session'

/** The server refused the request for the sake of the link: nothing ran, and by another link it may run. */
const isRefusedWithLink = (error: unknown) => isSessionLost(error) || isVersionRefused(error)

/** The server speaks another revision than it did. */
export const isVersionRefused = (error: unknown) =>
  (error as { code?: unknown } | null)?.code === unsupportedVersion || isOutdated(error)

/** Some legacy servers say so that they lost the session; but what it was the answer to may have run. */
const answeredBare = ({ server }: Link, error: unknown) =>
  server.era === 'legacy' && McpError.is(error) && error.data.reason === 'bare-error'

/** Each who waited gets an error of its own, which says what its own request was about. */
function ownError(error: unknown): unknown {
  if (!McpError.is(error)) return error
  const { method: _, ...data } = error.data
  return fromErrorData({ ...toErrorData(error), data: { ...data, outcome: 'not-run' } })
}

function refusesItsSessions(): HttpError {
  return new HttpError(
    `The server refuses each session that it has just handed out (${maxBarren} in a row); it may keep sessions in one of several processes. It is asked again after ${restMs / 1_000} s`,
    { data: { reason: 'session' } },
  )
}
