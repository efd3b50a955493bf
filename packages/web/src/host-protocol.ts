/**
 * What the page and the worker say to each other; the only module that both share. The page calls {@link HostApi} by
 * comlink; the worker sends {@link HostMessage}s on the same endpoint, so that a call's progress arrives before its
 * result. Every callback and signal is a number here: functions and signals don't cross.
 */
import type {
  AuthorizationRequest,
  ConnectionEvent,
  ConnectionState,
  ConnectOptions,
  ErrorData,
  EventFilter,
  Method,
  Progress,
  RequestOptions,
  ServerConfig,
} from '@x/core/client'

/** Both sides must come from the same release; a worker file that was left behind is found out by this. */
export const hostProtocol = 'x-host/1'

/** The port's calls never reject: a rejected promise would lose the error's class, code and data. */
export type Outcome<Value> = { ok: true; value: Value } | { ok: false; error: ErrorData }

export interface Hello {
  protocol: string
  /** A Web Lock that the worker holds while it lives; absent where there are none. */
  lock?: string
}

/** Functions of the app that the worker may call. */
export type HookName = Exclude<keyof ConnectOptions, 'signal' | 'signIn' | 'onEvent'>

/** Every hook, checked to be complete by the compiler. */
export const hookNames = Object.keys({
  token: true,
  authorize: true,
  assertion: true,
  elicit: true,
  sample: true,
  roots: true,
} satisfies Record<HookName, true>) as HookName[]

/** Request options that can be cloned. */
export type CallOptions = Omit<RequestOptions, 'signal' | 'onProgress'> & {
  wantsProgress: boolean
  /** Whether the call may be cancelled: a signal that nobody needs costs each call some 20 µs. */
  cancellable: boolean
}

/** Numbers for connections, calls and listeners are chosen by the page and never used twice. */
export interface HostApi {
  hello(): Promise<Hello>
  open(
    connection: number,
    config: ServerConfig,
    name: string | undefined,
    hooks: HookName[],
    wantsEvents: boolean,
    signIn: ConnectOptions['signIn'],
  ): Promise<Outcome<ConnectionState>>
  request(
    connection: number,
    call: number,
    method: Method,
    params: unknown,
    options: CallOptions,
  ): Promise<Outcome<unknown>>
  authorize(connection: number, call: number): Promise<Outcome<void>>
  /** Aborts a call. */
  cancel(call: number): void
  /** Aborts an opening or open connection. */
  abort(connection: number): void
  listen(connection: number, listener: number, filter: EventFilter): void
  unlisten(connection: number, listener: number): void
  close(connection: number): Promise<Outcome<void>>
  /** The page is back, or the network. */
  wake(): void
  /** The page goes away for good. */
  leave(): void
  signOut(server?: string): Promise<Outcome<void>>
  /** What a hook that the worker called has answered. */
  answer(hook: number, outcome: Outcome<unknown>): void
}

/** Each is for one connection. No field may be called `id`: that is how comlink knows its own messages. */
export type HostMessage = { connection: number } & (
  | { x: 'state'; state: ConnectionState }
  | { x: 'progress'; call: number; progress: Progress }
  | { x: 'event'; listener: number; event: ConnectionEvent }
  /** For the `onEvent` hook; states are not among them. */
  | { x: 'connection-event'; event: ConnectionEvent }
  | { x: 'hook'; hook: number; name: HookName; argument: unknown }
  /** What the `authorize` hook of that number was called for; it was called before this was known. */
  | { x: 'authorization-request'; hook: number; outcome: Outcome<AuthorizationRequest> }
)
