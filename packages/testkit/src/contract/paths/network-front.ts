import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

export interface NetworkFront {
  /** Without a slash at its end. */
  url: string
  close(): Promise<void>
}

/**
 * Stands before a Worker as the network does where it is deployed, and tells it when a client leaves: workerd alone
 * notices the orderly end of a connection when it next writes to it, and a reset at once.
 */
export async function startNetworkFront(workerUrl: string): Promise<NetworkFront> {
  const { hostname, port } = new URL(workerUrl)
  const open = new Set<Socket>()
  const server = createServer({ noDelay: true }, (client) => {
    const worker = connect({ host: hostname, port: Number(port), noDelay: true })
    client.pipe(worker, { end: false })
    worker.pipe(client)
    client.on('close', () => worker.resetAndDestroy())
    for (const socket of [client, worker]) {
      open.add(socket)
      socket.on('error', () => client.destroy())
      socket.on('close', () => open.delete(socket))
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        for (const socket of open) socket.destroy()
      }),
  }
}
