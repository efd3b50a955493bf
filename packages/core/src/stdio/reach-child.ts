import { delay } from '../abort.js'
import type { Runtime } from '../config.js'
import { ConnectError, McpError } from '../errors.js'
import type { EstablishOptions, Reach } from '../session/establish.js'
import { explain } from '../session/explain.js'
import { openLegacy } from '../session/legacy.js'
import { type Link, shakeHands, transportOptions } from '../session/link.js'
import { type Answer, attempt, discoverMessage, negotiate, unsupportedVersion } from '../session/negotiate.js'
import { modernVersion, pinnedVersion, versionsOf } from '../session/revisions.js'
import type { HttpTransport, TransportOptions } from '../transport/http-transport.js'
import type { LocalServer } from './local-server.js'
import { createStdio } from './stdio-transport.js'

/** Milliseconds after which a server that runs has proved that it can. */
const steadyMs = 60_000
const longestWaitMs = 60_000
const methodNotFound = -32601

/**
 * How a local server is reached: it is started for each handshake. The first message is `initialize`, for there are
 * servers that end at any other; only one of which revision 2026-07-28 is asked for, or which refuses to be initialized,
 * is asked by `server/discover`.
 */
export function createChildReach(server: LocalServer, { now, setTimer }: Pick<Runtime, 'now' | 'setTimer'>): Reach {
  const { attempts, backoffMs } = server.restart ?? { attempts: 0, backoffMs: 0 }
  /** In a row. */
  let restarts = 0
  let since: number | undefined

  /** Handshakes, and the end of what they have started in vain, which those who wait for a link do not wait for. */
  const running = new Set<Promise<unknown>>()
  function track<Result>(run: Promise<Result>): Promise<Result> {
    const settled = run.catch(() => {}).finally(() => running.delete(settled))
    running.add(settled)
    return run
  }

  async function shake(options: EstablishOptions): Promise<Link> {
    const started: HttpTransport[] = []
    let link: Link | undefined
    try {
      link = await establishByPipe(server, options, started)
      since = now()
      return link
    } finally {
      for (const transport of started) if (transport !== link?.transport) void track(transport.close())
    }
  }

  return {
    establish: (options) => track(shake(options)),
    async gone() {
      while (running.size > 0) await Promise.all(running)
    },
    isOver() {
      if (since !== undefined && now() - since >= steadyMs) restarts = 0
      since = undefined
      return restarts >= attempts
    },
    ...(server.restart && {
      async reopen(begin: () => Promise<Link>, signal: AbortSignal) {
        for (;;) {
          await delay(Math.min(backoffMs * 2 ** restarts++, longestWaitMs), signal, setTimer)
          try {
            return await begin()
          } catch (error) {
            if (signal.aborted || restarts >= attempts) throw error
          }
        }
      },
    }),
  }
}

/** @param started - Receives the transport of each process. */
async function establishByPipe(
  server: LocalServer,
  options: EstablishOptions,
  started: HttpTransport[],
): Promise<Link> {
  const { config, attempts, deadline } = options
  const pinned = pinnedVersion(config)
  const strayLines = new Set<string>()
  const onStrayLine = (line: string) => {
    if (strayLines.size < 3 && !strayLines.has(line)) {
      strayLines.add(line)
      attempts.push(attempt('legacy', `it writes what is no JSON-RPC message: ${line}`, undefined, 'stdio'))
    }
  }
  const create = (_: unknown, how: TransportOptions) => {
    const transport = createStdio(server, options.endpoint, { ...how, onStrayLine })
    started.push(transport)
    return transport
  }
  try {
    if (pinned !== modernVersion) {
      try {
        return (await openLegacy({ ...options, create }, { transport: 'stdio' })).link
      } catch (error) {
        if (deadline.signal.aborted || pinned || !isModernOnly(error)) throw error
      }
    }
    return await openModern(options, create(undefined, transportOptions('modern', options)))
  } catch (error) {
    if (deadline.signal.aborted) throw deadline.signal.reason
    throw asConnectError(explain(error, {}))
  }
}

async function openModern(options: EstablishOptions, transport: HttpTransport): Promise<Link> {
  const { endpoint, config, identity, attempts, deadline } = options
  const { signal } = deadline
  try {
    await transport.start()
    const verdict = await negotiate(
      endpoint,
      { ...config, protocolVersion: modernVersion },
      identity,
      attempts,
      signal,
      async () => {
        const message = discoverMessage(identity)
        let answer: Answer = { status: 0 }
        transport.onmessage = (received) => {
          if ('id' in received && received.id === message.id) answer = { ...(received as Answer), status: 0 }
        }
        await transport.send(message as never, { requestSignal: signal })
        return answer
      },
    )
    return await shakeHands(transport, verdict, 'stdio', { ...options, signal })
  } catch (error) {
    await transport.close()
    if (!signal.aborted) attempts.push(attempt('modern', explain(error, {}).message, undefined, 'stdio'))
    throw error
  }
}

/** Whether a server's refusal of `initialize` says that it speaks a revision which has none. */
function isModernOnly(error: unknown): boolean {
  if (!McpError.is(error)) return false
  const { rpcCode, rpcData } = error.data
  const named = versionsOf(rpcData, 'supported')
  return rpcCode === methodNotFound || (rpcCode === unsupportedVersion && named.includes(modernVersion))
}

/** A server that ends before it has shaken hands has not been there. */
function asConnectError(error: McpError): McpError {
  if (error.code !== 'ERR_MCP_DISCONNECTED') return error
  const { method: _, ...data } = error.data
  return new ConnectError(`The server ended before it could be spoken to: ${error.message}`, { cause: error, data })
}
