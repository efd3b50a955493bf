import type { Transport } from '@modelcontextprotocol/client'
import { DisconnectedError, type McpError } from '../errors.js'
import type { Finding, JsonObject } from '../protocol.js'
import type { JsonRpcMessage } from './json-rpc.js'

/** The engine's transport, and what only we ask of it. */
export interface HttpTransport extends Transport {
  /** Whether somebody listens for what the server says by itself. */
  listenToServer(wanted: boolean): void
  /** Numbers the time in which nothing that the server says by itself can have been missed; undefined while it is not heard. */
  heard(): number | undefined
  /** The page goes away: ends the session by a request that outlives it. Best effort, nobody waits. */
  leave(): void
  /** Tells, also later on, of an end that nobody asked for; every call under way has had its error by then. */
  onLost(listener: (error: McpError) => void): void
}

export interface TransportOptions {
  /** Sees each reply, and its request's method, before the engine does, and may put another in its place. */
  onReply?(reply: JsonRpcMessage, method: string): JsonRpcMessage
  /**
   * Sees each request of the server before the engine does, and may put another in its place.
   *
   * @param during - Our request on whose stream it came; undefined where that can't be told.
   */
  onRequest?(request: JsonRpcMessage, during: JsonRpcMessage | undefined): JsonRpcMessage
  /** Sees a refusal of `initialize` by an HTTP status as it came: its words may name revisions. */
  onRefused?(refusal: { status: number; text: string }): void
  report?(finding: Finding): void
  /** The server is heard from now on. */
  onHeard?(): void
  /** Takes progress that no request waits for. */
  onStrayProgress?(params: JsonObject): void
}

/** Milliseconds that a cancellation may take before the cancelled request is given up all the same. */
export const cancelMs = 2_000
/** Milliseconds that a server has to end a response after its request's reply, before it is cut. */
export const graceMs = 1_000

/** An error of its own for each request: what it was about is filled in on its way up. */
export const connectionClosed = () => new DisconnectedError('The connection was closed')
