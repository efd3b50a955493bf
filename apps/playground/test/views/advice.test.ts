import { expect, test } from 'vitest'
import { adviceFor } from '../../src/views/errors/advice.js'

test('an HTTP status is in the title; what a server’s own failure says is in its log', () => {
  const failed = adviceFor({ name: 'HttpError', message: '', code: 'ERR_MCP_HTTP', data: { status: 503 } })
  expect(failed.title).toContain('503')
  expect(failed.steps.join()).toMatch(/log/)
  expect(failed.steps.join()).not.toMatch(/URL/)
  const missing = adviceFor({ name: 'HttpError', message: '', code: 'ERR_MCP_HTTP', data: { status: 404 } })
  expect(missing.steps[0]).toMatch(/URL/)
})

test('there is advice for an error without a code', () => {
  expect(adviceFor({ name: 'Error', message: 'no' }).steps.length).toBeGreaterThan(0)
})
