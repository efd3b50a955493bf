import { expect, test } from 'vitest'
import { adviceFor } from '../../src/views/errors/advice.js'

const page = 'http://127.0.0.1:4242/'

test('an HTTP status is in the title; what a server’s own failure says is in its log', () => {
  const failed = adviceFor({ name: 'HttpError', message: '', code: 'ERR_MCP_HTTP', data: { status: 503 } }, page)
  expect(failed.title).toContain('503')
  expect(failed.steps.join()).toMatch(/log/)
  expect(failed.steps.join()).not.toMatch(/URL/)
  const missing = adviceFor({ name: 'HttpError', message: '', code: 'ERR_MCP_HTTP', data: { status: 404 } }, page)
  expect(missing.steps[0]).toMatch(/URL/)
})

test('there is advice for an error without a code', () => {
  expect(adviceFor({ name: 'Error', message: 'no' }, page).steps.length).toBeGreaterThan(0)
})

test('a token that the page’s own gateway refuses is another than one that a server refuses', () => {
  const refused = (server: string) =>
    adviceFor({ name: 'UnauthorizedError', message: '', code: 'ERR_MCP_UNAUTHORIZED', data: { server } }, page)
  expect(refused(`${page}gateway/servers/demo/mcp`).steps.join()).toMatch(/npm start/)
  expect(refused('http://127.0.0.1:5000/gateway/servers/demo/mcp').steps.join()).toMatch(/Bearer token/)
})

test('what a gateway could not reach is told as that', () => {
  const rpcData = { code: 'ERR_GATEWAY_UPSTREAM', server: 'notes' }
  const { title } = adviceFor({ name: 'JsonRpcError', message: '', code: 'ERR_MCP_JSONRPC', data: { rpcData } }, page)
  expect(title).toMatch(/gateway did not reach/)
})
