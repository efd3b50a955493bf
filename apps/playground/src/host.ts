import { createHost } from '@x/web'

/**
 * The page's host. The worker is a file of the page's own: the strict policy allows no other, and every request to a
 * server leaves from there.
 */
export const host = createHost({
  worker: () => new Worker(new URL('./mcp-worker.ts', import.meta.url), { type: 'module' }),
})
