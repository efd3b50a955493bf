import type { WorkerLink } from './worker-link.js'

/**
 * Tells the worker, until the returned function is called, what becomes of its page: shown again, thawed or back on the
 * network; or gone for good, not kept for a way back. Being hidden is no reason for anything: a hidden page's calls go on.
 */
export function watchPage(link: Pick<WorkerLink, 'isDead' | 'tell'>): () => void {
  const stop = new AbortController()
  const { signal } = stop
  const { document } = globalThis
  const wake = () => link.tell((api) => api.wake())
  const leave = () => link.tell((api) => api.leave())
  if (link.isDead) return () => {}
  globalThis.addEventListener?.('online', wake, { signal })
  globalThis.addEventListener?.('pageshow', wake, { signal })
  globalThis.addEventListener?.('pagehide', ({ persisted }) => !persisted && leave(), { signal })
  document?.addEventListener('visibilitychange', () => document.visibilityState === 'visible' && wake(), { signal })
  return () => stop.abort()
}
