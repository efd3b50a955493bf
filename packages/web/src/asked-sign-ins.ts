/**
 * Signing in, as the page sees it. Loaded for those who do: it must be there before a click, and no other page needs it.
 * It imports nothing, so that what it shares with the page stays in the page's own file.
 */
import type {
  AuthorizationRequest,
  AuthorizationResponse,
  ConnectOptions,
  ErrorData,
  ServerConfig,
} from '@x/core/client'
import type { Outcome } from './host-protocol.js'

/** A call of the `authorize` hook. */
export interface AskedSignIn {
  /** What the hook gives. */
  readonly answered: Promise<AuthorizationResponse>
  /** Tells the hook what it was called for; only the first of these counts. */
  tell(request: AuthorizationRequest): void
  fail(error: unknown): void
}

/** The page's sign-ins at one server. */
export interface AskedSignIns {
  /**
   * Calls the hook in this very turn, for a click: the worker will ask for it, or there is nothing to ask.
   *
   * @returns Tells the hook, when the worker asks no longer, that it was called for nothing, or why.
   */
  early(): (error?: unknown) => void
  /** The worker asks, by this number: the call that a click has made, or a new one. */
  take(hook: number): AskedSignIn
  settle(hook: number, outcome: Outcome<AuthorizationRequest>): void
  /** Nothing will be heard of the worker any more. */
  end(error: unknown): void
}

export function createAskedSignIns(
  hooks: ConnectOptions,
  server: string,
  fromErrorData: (data: ErrorData) => Error,
): AskedSignIns {
  const waiting: AskedSignIn[] = []
  const byHook = new Map<number, AskedSignIn>()

  function ask(): AskedSignIn {
    let tell!: (request: AuthorizationRequest) => void
    let fail!: (reason: unknown) => void
    const request = new Promise<AuthorizationRequest>((resolve, reject) => {
      tell = resolve
      fail = reject
    })
    // The hook need not look at it.
    request.catch(() => {})
    const answered = call(hooks, request)
    answered.catch(() => {})
    return { answered, tell, fail }
  }

  const notNeeded = () =>
    fromErrorData({
      name: 'AuthorizationError',
      code: 'ERR_MCP_AUTHORIZATION',
      message: `Nobody has to sign in at ${server} now`,
      data: { server, step: 'authorize', reason: 'not-needed' },
    })

  return {
    early() {
      const asked = ask()
      waiting.push(asked)
      return (error = notNeeded()) => {
        const index = waiting.indexOf(asked)
        if (index >= 0) waiting.splice(index, 1)
        asked.fail(error)
      }
    },
    take(hook) {
      const asked = waiting.shift() ?? ask()
      byHook.set(hook, asked)
      return asked
    },
    settle(hook, outcome) {
      const asked = byHook.get(hook)
      byHook.delete(hook)
      if (outcome.ok) asked?.tell(outcome.value)
      else asked?.fail(fromErrorData(outcome.error))
    },
    end(error) {
      for (const asked of [...waiting.splice(0), ...byHook.values()]) asked.fail(error)
      byHook.clear()
    },
  }
}

/** By default a sign-in comes back to this very page: https or loopback, as the authorization server wants it. */
export function withRedirectUrl(config: ServerConfig): ServerConfig {
  const { auth } = config
  const { location } = globalThis
  if (auth?.type !== 'oauth' || auth.redirectUrl !== undefined || !location) return config
  return { ...config, auth: { ...auth, redirectUrl: location.origin + location.pathname } }
}

/** What it throws is a rejection like any other. */
async function call(hooks: ConnectOptions, request: Promise<AuthorizationRequest>): Promise<AuthorizationResponse> {
  return hooks.authorize!(request)
}
