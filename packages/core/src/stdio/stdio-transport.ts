import { untilAborted } from '../abort.js'
import type { WireEvent } from '../connection.js'
import { DisconnectedError, InvalidResponseError, McpError } from '../errors.js'
import { type Endpoint, nextExchange, toJson } from '../transport/endpoint.js'
import type { HttpTransport, TransportOptions } from '../transport/http-transport.js'
import { type JsonRpcMessage, parseJson, toMessages } from '../transport/json-rpc.js'
import { tooLarge } from '../transport/limits.js'
import { createStreamTransport, type MessageStream, type StreamListener } from '../transport/stream-transport.js'
import { type Child, startChild } from './child.js'
import { readableText, readErrorOutput } from './error-output.js'
import { createLineSplitter, type Line } from './lines.js'
import { type LocalServer, localName } from './local-server.js'
import { readId } from './reply-id.js'

export interface StdioTransportOptions extends TransportOptions {
  /** Hears of a line that is no message. */
  onStrayLine?(line: string): void
}

/** Milliseconds that a server's last words may take to arrive after its end: something else may hold its output open. */
const lastWordsMs = 500
/** Lines that are no messages and are told each; further ones of this process are not. */
const maxStrayLines = 20

/**
 * A process's standard input and output as the protocol engine's transport: one message a line. What the process writes
 * to its standard error comes as log messages of the server.
 *
 * @see {@link https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#stdio}
 */
export function createStdio(server: LocalServer, endpoint: Endpoint, options: StdioTransportOptions): HttpTransport {
  return createStreamTransport((_signal, listener) => openStdio(server, endpoint, options, listener), endpoint, options)
}

/**
 * Starts the server and reads what it says.
 *
 * @throws {ConnectError} `ERR_MCP_CONNECT` when the command can't be started.
 */
export async function openStdio(
  server: LocalServer,
  endpoint: Pick<Endpoint, 'now' | 'setTimer' | 'maxResponseBytes' | 'wire'>,
  { onStrayLine, report }: StdioTransportOptions,
  { onMessage, onUnreadable }: StreamListener,
): Promise<MessageStream> {
  const { setTimer, now, maxResponseBytes } = endpoint
  const child = await startChild(server, setTimer)
  const name = localName(server)
  readErrorOutput(child.stderr, now, (data) =>
    onMessage({ jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', logger: name, data } }),
  )
  const stream = nextExchange()
  const wire = (exchange: number, event: Pick<WireEvent, 'phase' | 'method' | 'body'>) =>
    endpoint.wire()?.({ type: 'wire', exchange, at: now(), ...event })

  let strayLines = 0
  function stray(line: string): void {
    const shown = readableText(line.slice(0, 1_000)).slice(0, 200)
    onStrayLine?.(shown)
    if (++strayLines > maxStrayLines) return
    const more = strayLines === maxStrayLines ? '; further ones are not told' : ''
    report?.({
      code: 'stray-output',
      message: `A line of what ${name} writes is no JSON-RPC message and was skipped${more}: ${shown}`,
    })
  }

  let toldTooLarge = false
  function onTooLong(head: Buffer): void {
    const id = readId(head.toString('utf8'))
    toldTooLarge = id !== undefined
    if (toldTooLarge) onUnreadable(tooLarge(maxResponseBytes), id)
  }

  function onLongLine({ bytes, tail }: Line): void {
    if (toldTooLarge) return
    const id = readId(bytes.toString('utf8'), tail!.toString('utf8'))
    onUnreadable(tooLarge(maxResponseBytes), id)
  }

  const decoder = new TextDecoder('utf-8', { fatal: true })
  function parse(line: Line): JsonRpcMessage[] {
    let text: string
    try {
      text = decoder.decode(line.bytes)
    } catch {
      stray(line.bytes.toString('latin1'))
      return []
    }
    if (text.trim() === '') return []
    try {
      const messages = toMessages(parseJson(text))
      if (messages.length === 0) stray(text)
      return messages
    } catch (error) {
      // What begins as a message does was meant to be one.
      const id = readId(text)
      if (id === undefined || !McpError.is(error)) stray(text)
      else onUnreadable(notJson(), id)
      return []
    }
  }

  async function read(): Promise<void> {
    const lines = createLineSplitter(maxResponseBytes, onTooLong)
    for await (const chunk of child.stdout as AsyncIterable<Buffer>) {
      for (const line of lines.push(chunk)) {
        if (line.tail) onLongLine(line)
        else
          for (const message of parse(line)) {
            wire(stream, { phase: 'message', body: message })
            onMessage(message)
            // The engine handles a notification one microtask later than a reply: progress that is delivered with the
            // reply would be lost.
            await new Promise<void>(queueMicrotask)
          }
        toldTooLarge = false
      }
    }
  }

  const ended = whenEnded(server, child, read(), setTimer)
  return {
    ended,
    async post(message, { signal }) {
      const number = nextExchange()
      wire(number, { phase: 'request', body: message, ...(message.method && { method: message.method }) })
      const text = `${toJson(message)}\n`
      try {
        await untilAborted(
          signal,
          child.write(text).catch(async () => Promise.reject(await ended)),
        )
        return undefined
      } finally {
        wire(number, { phase: 'end' })
      }
    },
    close: child.stop,
  }
}

/** When a server can say nothing more, and nothing is left of it. */
async function whenEnded(
  server: LocalServer,
  child: Child,
  reading: Promise<void>,
  setTimer: Endpoint['setTimer'],
): Promise<DisconnectedError> {
  const read = reading.catch(() => {})
  await Promise.race([child.exited, child.deaf, read])
  await new Promise<void>((resolve) => {
    const cancelTimer = setTimer(lastWordsMs, resolve)
    void Promise.all([read, child.exited]).then(() => {
      cancelTimer()
      resolve()
    })
  })
  await child.stop()
  const exit = await child.exited
  const how = typeof exit === 'number' ? `with exit code ${exit}` : `by ${exit}`
  return new DisconnectedError(
    `"${server.command}" has ended ${how}; what it wrote to its standard error, which the log events have, may tell why`,
    { data: { reason: 'exited', command: server.command, exit } },
  )
}

const notJson = () => new InvalidResponseError('The reply is not JSON', { data: { reason: 'json' } })
