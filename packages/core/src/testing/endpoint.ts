import type { ListName } from './offer.js'
import type { ReceivedRequest } from './received.js'
import type { Message } from './rpc.js'

/** A request as an endpoint gets it. */
export interface Incoming {
  request: ReceivedRequest
  /** Of a POST. */
  message: Message
  /** Fires when the client leaves. */
  signal: AbortSignal
}

/** What a server says by itself. */
export type News = { list: ListName } | { updated: string }

/** A test server of one era. */
export interface Endpoint {
  answer(incoming: Incoming): Response | Promise<Response>
  tell(news: News): void
  /** Loses a session: what comes with its id is refused from then on. */
  forget(session: string): void
  close(): void
}

/** What both eras' endpoints are made of. */
export interface EndpointParts {
  /** As the server says it of itself. */
  serverInfo: { name: string; version: string }
  instructions: string | undefined
  /** Revisions of the era, newest first. */
  versions: readonly string[]
  capabilities(): { [key: string]: unknown }
  /** Told when a client opens a stream for what the server says by itself. */
  onHeard(): void
}
