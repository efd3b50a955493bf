import {
  AuthorizationError,
  type AuthorizationRequest,
  type AuthorizationResponse,
  type ConnectOptions,
  fromErrorData,
  toErrorData,
} from '@x/core/client'
import type { Outcome } from './host-protocol.js'

/** A call of the `authorize` hook. */
export interface AskedSignIn {
  /** What the hook gives. */
  readonly answered: Promise<AuthorizationResponse>
  /** Tells the hook what it was called for; only the first time counts. */
  settle(outcome: Outcome<AuthorizationRequest>): void
}

/** The page's sign-ins at one server. */
export interface AskedSignIns {
  /** Calls the hook in this very turn, for a click: the worker will ask for it, or there is nothing to ask. */
  early(): AskedSignIn
  /** The worker asks, by this number: the call that a click has made, or a new one. */
  take(hook: number): AskedSignIn
  settle(hook: number, outcome: Outcome<AuthorizationRequest>): void
  /** An early one that the worker no longer asks for. */
  drop(asked: AskedSignIn, error?: unknown): void
  /** Nothing will be heard of the worker any more. */
  end(error: unknown): void
}

export function createAskedSignIns(hooks: ConnectOptions, server: string): AskedSignIns {
  const waiting: AskedSignIn[] = []
  const byHook = new Map<number, AskedSignIn>()

  function ask(): AskedSignIn {
    let resolve!: (request: AuthorizationRequest) => void
    let reject!: (reason: unknown) => void
    const request = new Promise<AuthorizationRequest>((resolved, rejected) => {
      resolve = resolved
      reject = rejected
    })
    // The hook need not look at it.
    request.catch(() => {})
    const answered = call(hooks, request)
    answered.catch(() => {})
    return {
      answered,
      settle: (outcome) => (outcome.ok ? resolve(outcome.value) : reject(fromErrorData(outcome.error))),
    }
  }

  return {
    early() {
      const asked = ask()
      waiting.push(asked)
      return asked
    },
    take(hook) {
      const asked = waiting.shift() ?? ask()
      byHook.set(hook, asked)
      return asked
    },
    settle(hook, outcome) {
      byHook.get(hook)?.settle(outcome)
      byHook.delete(hook)
    },
    drop(asked, error = notNeeded(server)) {
      const index = waiting.indexOf(asked)
      if (index >= 0) waiting.splice(index, 1)
      asked.settle({ ok: false, error: toErrorData(error) })
    },
    end(error) {
      for (const asked of [...waiting.splice(0), ...byHook.values()])
        asked.settle({ ok: false, error: toErrorData(error) })
      byHook.clear()
    },
  }
}

/** What it throws is a rejection like any other. */
async function call(hooks: ConnectOptions, request: Promise<AuthorizationRequest>): Promise<AuthorizationResponse> {
  return hooks.authorize!(request)
}

const notNeeded = (server: string) =>
  new AuthorizationError(`Nobody has to sign in at ${server} now`, {
    data: { server, step: 'authorize', reason: 'not-needed' },
  })
