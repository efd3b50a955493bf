import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type NetworkFront, startNetworkFront } from '../../src/contract/paths/network-front.js'

const worker = createServer()
let front: NetworkFront

beforeEach(async () => {
  await new Promise<void>((resolve) => worker.listen(0, '127.0.0.1', resolve))
  front = await startNetworkFront(`http://127.0.0.1:${(worker.address() as AddressInfo).port}`)
})

afterEach(async () => {
  await front.close()
  await new Promise((resolve) => worker.close(resolve))
})

async function connectThrough(): Promise<{ client: Socket; received: Socket }> {
  const client = connect(Number(new URL(front.url).port), '127.0.0.1')
  const [received] = (await once(worker, 'connection')) as [Socket]
  return { client, received }
}

test('bytes pass both ways, and the Worker ends a connection in order', async () => {
  const { client, received } = await connectThrough()
  client.write('there')
  expect(String((await once(received, 'data'))[0])).toBe('there')
  received.end('and back')
  expect(String((await once(client, 'data'))[0])).toBe('and back')
  await once(client, 'end')
})

test('a client that leaves in order resets the Worker’s connection', async () => {
  const { client, received } = await connectThrough()
  received.resume()
  client.end()
  await expect(once(received, 'end')).rejects.toMatchObject({ code: 'ECONNRESET' })
})
