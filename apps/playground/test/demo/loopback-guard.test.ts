import { expect, it } from 'vitest'
import { exchange, INITIALIZE } from './plain-exchange.js'
import { runDemo } from './running-demo.js'

it.each([
  ['a rebound DNS name', { Host: 'rebound.example.com' }],
  ['a name that begins like a loopback one', { Host: 'localhost.example.com' }],
  ['a private address', { Host: '192.168.1.10' }],
  ['a foreign page', { Origin: 'https://evil.example.com' }],
  ['another local page', { Origin: 'http://127.0.0.1:1' }],
  ['an opaque origin', { Origin: 'null' }],
])('refuses %s', async (_who, headers) => {
  const { url, events } = await runDemo()
  const { response } = await exchange(url, 'POST', headers, INITIALIZE)
  expect(response.statusCode).toBe(403)
  expect(response.headers['access-control-allow-origin']).toBeUndefined()
  expect(events).toMatchObject([{ type: 'refused', status: 403 }])
})

it('refuses an extension whose id looks like its own host', async () => {
  const { url } = await runDemo()
  const { response } = await exchange(url, 'POST', { Origin: `chrome-extension://${url.host}` }, INITIALIZE)
  expect(response.statusCode).toBe(403)
})

it.each(['localhost', '127.0.0.1', '[::1]'])('serves a page of its own at %s', async (hostname) => {
  const { url } = await runDemo()
  const host = `${hostname}:${url.port}`
  const { response } = await exchange(url, 'POST', { Host: host, Origin: `http://${host}` }, INITIALIZE)
  expect(response.statusCode).toBe(200)
})
