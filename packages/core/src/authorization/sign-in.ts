import { untilAborted } from '../abort.js'
import type { AuthorizationRequest, ConnectOptions } from '../config.js'
import { AuthorizationError, McpError, withDetails } from '../errors.js'
import { flowMs } from './flow.js'

/** A sign-in by a person, from the moment at which the app is told of it. */
export interface Interaction {
  /** Runs what need not wait for the person; ends early when the app gives up. */
  preparing<Value>(work: Promise<Value>): Promise<Value>
  /** Hands the page to the app, and gives the callback's URL. */
  ask(request: AuthorizationRequest): Promise<string>
  /** There is nothing to open, or no longer: the app closes what it has opened. */
  end(error: unknown): void
}

export interface InteractionOptions {
  /** The server's name. */
  server: string
  hook: NonNullable<ConnectOptions['authorize']>
  setTimer(ms: number, run: () => void): () => void
  uncounted<Value>(run: () => Promise<Value>): Promise<Value>
  signal: AbortSignal
}

/** Tells the app at once that somebody has to sign in: only within a click may it open a window. */
export function beginInteraction({ server, hook, setTimer, uncounted, signal }: InteractionOptions): Interaction {
  let resolveRequest!: (request: AuthorizationRequest) => void
  let rejectRequest!: (reason: unknown) => void
  const request = new Promise<AuthorizationRequest>((resolve, reject) => {
    resolveRequest = resolve
    rejectRequest = reject
  })
  // The app need not look at it.
  request.catch(() => {})
  const fail = (reason: string, message: string, cause?: unknown) =>
    new AuthorizationError(message, { cause, data: { server, step: 'authorize', reason } })

  let stop!: (reason: unknown) => void
  const over = new Promise<never>((_, reject) => {
    stop = reject
  })
  // A hook that goes on for ever must not stop all deadlines.
  const answered = uncounted(() => Promise.race([call(hook, request), over])).catch((cause) => {
    if (McpError.is(cause)) throw withDetails(cause, { server, step: 'authorize' })
    throw fail('hook', `The authorize hook failed, so nobody has signed in at ${server}`, cause)
  })
  const givenUp = new Promise<never>((_, reject) => answered.catch(reject))
  givenUp.catch(() => {})

  return {
    preparing: (work) => untilAborted(signal, Promise.race([work, givenUp])),
    async ask(page) {
      resolveRequest(page)
      let cancelTimer = () => {}
      const late = new Promise<never>((_, reject) => {
        cancelTimer = setTimer(flowMs, () =>
          reject(fail('timeout', `Nobody has signed in at ${server} within ${flowMs / 60_000} minutes; begin again`)),
        )
      })
      try {
        const { callbackUrl } = (await untilAborted(signal, Promise.race([answered, late]))) ?? {}
        return callbackUrl
      } finally {
        cancelTimer()
      }
    },
    end(error) {
      rejectRequest(error)
      stop(error)
    },
  }
}

/** In this very turn; what it throws is a rejection like any other. */
async function call(
  hook: NonNullable<ConnectOptions['authorize']>,
  request: Promise<AuthorizationRequest>,
): ReturnType<NonNullable<ConnectOptions['authorize']>> {
  return hook(request)
}
