import source from 'virtual:worker-source'

/** The worker without configuration: needs no bundler support, but a CSP must allow `worker-src blob:`. */
export function createBlobWorker(): Worker {
  const url = URL.createObjectURL(new Blob([source], { type: 'text/javascript' }))
  const worker = new Worker(url, { type: 'module', name: '@x/web' })
  // The script is fetched by then; revoking at once makes some engines fail to load it.
  setTimeout(() => URL.revokeObjectURL(url), 10_000)
  return worker
}
