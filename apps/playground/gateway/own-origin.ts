import type { IncomingMessage } from 'node:http'
import { LOOPBACK_HOSTS } from '../demo/loopback-guard.js'

/**
 * The origin under which this server was asked for, by its `Host` header; undefined where that is none of its own.
 *
 * A page whose DNS name was rebound to 127.0.0.1 asks under its own name, and is told by nothing else.
 */
export function ownOrigin({ headers, socket }: IncomingMessage): string | undefined {
  const own = [...LOOPBACK_HOSTS].map((hostname) => new URL(`http://${hostname}:${socket.localPort}`))
  return own.find(({ host }) => host === headers.host)?.origin
}
