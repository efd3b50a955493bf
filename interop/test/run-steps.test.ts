import { expect, test } from 'vitest'
import { runSteps, stepNames } from '../src/steps/run-steps.js'

test('without a connection every step is reported, as failed', async () => {
  const job = { server: 'sdk-hono', url: 'http://127.0.0.1/mcp', urlWithoutCors: 'http://127.0.0.1/mcp' }
  const reports = await runSteps(job, async () => {
    throw new Error('refused')
  })
  expect(reports.map(({ name }) => name)).toEqual(stepNames('sdk-hono', true))
  expect(reports[0]).toEqual({ name: 'connects', error: 'Error: refused' })
  expect(reports.filter(({ error }) => error === undefined)).toEqual([])
})
