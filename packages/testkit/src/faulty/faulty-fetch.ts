import { createFaultyControl, type FaultyControl } from './faulty-control.js'
import { type Answer, createFaultyEndpoint } from './faulty-endpoint.js'
import { type ReadResponse, readResponse, strictHttp } from './read-response.js'
import { concat } from './reply-bytes.js'
import { createStrikes } from './strikes.js'

export interface FaultyFetch {
  fetch: typeof fetch
  control: FaultyControl
}

/**
 * The faulty server in process, as the `fetch` that a client is given. Its responses come whole where the fault's offset
 * is even, byte by byte where it is odd.
 */
export function createFaultyFetch(): FaultyFetch {
  const endpoint = createFaultyEndpoint()
  const strikes = createStrikes()
  /** How to break the body of each exchange that is open. */
  const open = new Map<object, () => void>()

  async function answer(...args: Parameters<typeof fetch>): Promise<Response> {
    const request = new Request(...args)
    const { signal } = request
    const body = await request.text()
    signal.throwIfAborted()
    const header = (name: string) => request.headers.get(name) ?? undefined
    const given = endpoint.answer({ httpMethod: request.method, path: new URL(request.url).pathname, header, body })
    const exchange = {}
    let fail = (_reason: unknown) => {}
    const failed = new Promise<never>((_, reject) => {
      fail = reject
    })
    // Whether anybody waits for it or not.
    failed.catch(() => {})
    open.set(exchange, () => fail(new TypeError('terminated')))
    signal.addEventListener('abort', () => fail(signal.reason), { once: true })
    const end = () => void open.delete(exchange)
    try {
      const response = await Promise.race([respond(given, failed, end), failed])
      if (!response.body) end()
      return response
    } catch (error) {
      end()
      throw error
    }
  }

  async function respond(given: Answer, failed: Promise<never>, end: () => void): Promise<Response> {
    const striking = createStriking(given)
    const first = readResponse(given.before, strictHttp)
    if (!first.head) await striking()
    const { head } = first.head ? first : afterFault(given)
    if (!head) throw new TypeError('fetch failed')
    const init = { status: head.status, headers: head.headers }
    if (head.status === 204 || (first.state === 'whole' && first.body.length === 0)) return new Response(null, init)
    return new Response(toStream(pieces(given, first, striking), failed, striking, end), init)
  }

  /** Comes to the fault, once however often it is called. */
  function createStriking({ fault, ending }: Answer): () => Promise<void> {
    let struck: Promise<void> | undefined
    const strike = async (key: string) => {
      await strikes.reached(key)
      if (ending === 'restart') {
        endpoint.loseState()
        for (const breakOff of open.values()) breakOff()
      }
      strikes.happened(key)
      if (ending === 'stall') await new Promise(() => {})
    }
    return async () => {
      if (fault) struck ??= strike(fault.key)
      await struck
    }
  }

  return { fetch: answer, control: createFaultyControl(endpoint, strikes, () => open.size) }
}

/** Everything that comes, if the fault leaves anything to come. */
const afterFault = ({ before, after }: Answer): ReadResponse => readResponse(concat(before, after), strictHttp)

/** The body, without the framing. */
async function* pieces(given: Answer, first: ReadResponse, striking: () => Promise<void>): AsyncGenerator<Uint8Array> {
  const bytewise = (given.fault?.offset ?? 0) % 2 === 1
  yield* split(first.body, bytewise)
  // The fault comes after the end.
  if (first.state === 'whole') return
  await striking()
  const all = afterFault(given)
  yield* split(all.body.subarray(first.body.length), bytewise)
  const ended = all.state === 'whole' || (all.untilClose && given.ending !== 'stall')
  if (!ended) throw new TypeError('terminated')
}

function split(bytes: Uint8Array, bytewise: boolean): Uint8Array[] {
  if (bytewise) return Array.from(bytes, (byte) => Uint8Array.of(byte))
  return bytes.length > 0 ? [bytes] : []
}

function toStream(
  source: AsyncGenerator<Uint8Array>,
  failed: Promise<never>,
  striking: () => Promise<void>,
  end: () => void,
): ReadableStream<Uint8Array> {
  return new ReadableStream(
    {
      async pull(controller) {
        try {
          const { done, value } = await Promise.race([source.next(), failed])
          if (!done) return controller.enqueue(value)
          controller.close()
          end()
          void striking()
        } catch (error) {
          end()
          controller.error(error)
        }
      },
      cancel() {
        end()
        // A client that has left doesn't keep the server from its fault.
        void striking()
      },
    },
    // Nothing ahead of what is asked for: the fault comes when all before it has been read.
    { highWaterMark: 0 },
  )
}
