import { type AddressInfo, createServer, type Socket } from 'node:net'
import { createFaultyControl, type FaultyControl } from './faulty-control.js'
import { type Answer, createFaultyEndpoint, type HttpRequest } from './faulty-endpoint.js'
import { createStrikes } from './strikes.js'

export interface FaultyServer {
  /** `http://127.0.0.1:PORT`, without a path; the endpoints are `/modern/mcp` and `/legacy/mcp`. */
  url: string
  control: FaultyControl
  close(): Promise<void>
}

/** Milliseconds that a client may take to see that a restarting server has closed its connection. */
const closeMs = 1_000

/**
 * The faulty server over sockets, on loopback. It speaks HTTP below Node's own server, which would send no broken
 * response.
 */
export async function startFaultyServer(): Promise<FaultyServer> {
  const endpoint = createFaultyEndpoint()
  const strikes = createStrikes()
  const sockets = new Map<Socket, Promise<void>>()
  let open = 0
  let listener = await listen(0, accept)
  const { port } = listener.address() as AddressInfo

  function accept(socket: Socket): void {
    socket.setNoDelay(true)
    // A client that leaves in the middle is what this server is for.
    socket.on('error', () => {})
    const gone = new Promise<void>((resolve) => {
      socket.on('close', () => {
        sockets.delete(socket)
        resolve()
      })
    })
    sockets.set(socket, gone)
    let received: Buffer = Buffer.alloc(0)
    socket.on('data', (chunk) => {
      received = Buffer.concat([received, chunk])
      for (let taken = takeRequest(received); taken; taken = takeRequest(received)) {
        received = taken.rest
        open++
        respond(socket, gone, endpoint.answer(taken.request)).finally(() => open--)
      }
    })
  }

  async function respond(socket: Socket, gone: Promise<void>, answer: Answer): Promise<void> {
    const { before, after, ending, fault } = answer
    await write(socket, before)
    if (fault) await strikes.reached(fault.key)
    await write(socket, after)
    if (ending === 'restart') await restart()
    if (ending === 'close') {
      socket.end()
      await gone
    }
    if (fault) strikes.happened(fault.key)
    if (ending === 'stall') await gone
  }

  async function restart(): Promise<void> {
    endpoint.loseState()
    const closed = new Promise((resolve) => listener.close(resolve))
    // Ended, not destroyed: what was written still arrives. Closed on both sides, the client has seen it.
    for (const socket of sockets.keys()) socket.end()
    const late = setTimeout(() => {
      for (const socket of sockets.keys()) socket.destroy()
    }, closeMs)
    await Promise.all(sockets.values())
    clearTimeout(late)
    await closed
    listener = await listen(port, accept)
  }

  return {
    url: `http://127.0.0.1:${port}`,
    control: createFaultyControl(endpoint, strikes, () => open),
    async close() {
      const closed = new Promise((resolve) => listener.close(resolve))
      for (const socket of sockets.keys()) socket.destroy()
      await closed
    },
  }
}

async function listen(port: number, accept: (socket: Socket) => void) {
  const listener = createServer(accept)
  await new Promise<void>((resolve, reject) => {
    listener.once('error', reject)
    listener.listen(port, '127.0.0.1', resolve)
  })
  return listener
}

/** Resolves when the bytes are out, or the connection is gone. */
const write = (socket: Socket, bytes: Uint8Array): Promise<void> =>
  new Promise((resolve) => {
    if (bytes.length === 0 || socket.destroyed) resolve()
    else socket.write(bytes, () => resolve())
  })

/** The first whole request of what was received, by its content's length: clients send theirs whole. */
function takeRequest(received: Buffer): { request: HttpRequest; rest: Buffer } | undefined {
  const headEnd = received.indexOf('\r\n\r\n')
  if (headEnd < 0) return undefined
  const [requestLine = '', ...lines] = received.toString('latin1', 0, headEnd).split('\r\n')
  const [httpMethod = '', path = ''] = requestLine.split(' ')
  const headers = new Map(
    lines.map((line) => {
      const colon = line.indexOf(':')
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]
    }),
  )
  const end = headEnd + 4 + Number(headers.get('content-length') ?? 0)
  if (received.length < end) return undefined
  const body = received.toString('utf8', headEnd + 4, end)
  return { request: { httpMethod, path, header: (name) => headers.get(name), body }, rest: received.subarray(end) }
}
