/** What becomes of the page, which a worker is not told. */
export interface PageLife {
  /** Shown again, thawed, or back on the network. */
  onWake(): void
  /** Gone for good: not kept for a way back. */
  onLeave(): void
}

/**
 * Watches the page until the returned function is called. Being hidden is no reason for anything: a hidden page's calls
 * go on.
 */
export function watchPage({ onWake, onLeave }: PageLife): () => void {
  const stop = new AbortController()
  const { signal } = stop
  const { document } = globalThis
  globalThis.addEventListener?.('online', onWake, { signal })
  globalThis.addEventListener?.('pageshow', onWake, { signal })
  globalThis.addEventListener?.('pagehide', ({ persisted }) => !persisted && onLeave(), { signal })
  document?.addEventListener('visibilitychange', () => document.visibilityState === 'visible' && onWake(), { signal })
  return () => stop.abort()
}
