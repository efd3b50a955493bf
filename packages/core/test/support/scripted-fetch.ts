/** A request as a server sees it. */
export interface Sent {
  method: string
  url: string
  headers: Headers
  /** The JSON of the body; undefined without one. */
  body: { id?: number; method?: string; params?: Record<string, unknown> } | undefined
  /** The signal that was handed to fetch. */
  signal: AbortSignal
  init: RequestInit
  /** What was answered, once it was. */
  response?: Response
}

export interface ScriptedFetch {
  fetch: typeof fetch
  /** Every request so far, in order. */
  sent: Sent[]
}

/**
 * A fetch that a function answers. Like the real one it rejects with the signal's reason when aborted before the
 * response; unlike it, it does not tie the body to the signal.
 */
export function scriptedFetch(answer: (sent: Sent) => Response | Promise<Response>): ScriptedFetch {
  const sent: Sent[] = []
  const answering = async (input: RequestInfo | URL, init: RequestInit = {}): Promise<Response> => {
    const signal = init.signal ?? new AbortController().signal
    signal.throwIfAborted()
    const request: Sent = {
      method: init.method ?? 'GET',
      url: String(input),
      headers: new Headers(init.headers),
      body: typeof init.body === 'string' ? JSON.parse(init.body) : undefined,
      signal,
      init,
    }
    sent.push(request)
    return new Promise((resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason), { once: true })
      // Not before the caller has the promise: a real one never answers at once.
      queueMicrotask(() => {
        new Promise<Response>((answered) => answered(answer(request))).then((response) => {
          request.response = response
          resolve(response)
        }, reject)
      })
    })
  }
  return { fetch: answering, sent }
}

/** What Node's fetch throws when a connection is refused. */
export function connectionRefused(): TypeError {
  return new TypeError('fetch failed', { cause: Object.assign(new Error('connect'), { code: 'ECONNREFUSED' }) })
}
