import type { Unsubscribe } from '../connection.js'
import type { Finding, JsonObject } from '../protocol.js'
import type { Wanted } from './events.js'
import type { Link } from './link.js'

/** How one link brings what the server says by itself. */
export interface Carrier {
  /** From now on this is wanted, and nothing else. */
  want(wanted: Wanted): void
  /**
   * Resolves when the server tells of this resource, which must be wanted.
   *
   * @throws What the server refused it with, or why it can't be asked now.
   */
  confirmed(uri: string): Promise<void>
  /** What the server has acknowledged. */
  acknowledged(notifications: JsonObject): void
  /** Lets go of everything; whoever waits is told why. */
  end(reason: unknown): void
}

export interface CarrierOptions {
  link: Link
  server: string
  /** One request by the link of this moment, which is replaced when it was lost. */
  request(method: string, params: object, signal: AbortSignal): Promise<JsonObject>
  report(finding: Finding): void
  now(): number
  setTimer(ms: number, run: () => void): () => void
  wake?: ((listener: () => void) => Unsubscribe) | undefined
  /** Something may have been said that nobody heard. */
  onGap(): void
}
