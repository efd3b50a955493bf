import { expect, it } from 'vitest'
import { exchange, INITIALIZE } from './plain-exchange.js'
import { runDemo } from './running-demo.js'

it('refuses a body over 4 MiB', async () => {
  const { url } = await runDemo()
  const { response } = await exchange(url, 'POST', {}, ' '.repeat(4 * 1024 * 1024 + 1))
  expect(response.statusCode).toBe(413)
})

it('answers 503 once it is closed', async () => {
  const { url, demo } = await runDemo()
  await demo.close()
  expect((await exchange(url, 'POST', {}, INITIALIZE)).response.statusCode).toBe(503)
})
