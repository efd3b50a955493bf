import { afterEach, expect, test, vi } from 'vitest'
import { createGateway } from '../src/index.js'
import { rpcRequest } from './support/json-rpc.js'

afterEach(() => vi.unstubAllGlobals())

// workerd forbids it, and so does a strict Content-Security-Policy elsewhere; what is tried and caught is still reported.
test('nothing tries to evaluate code: not the engine that a first request loads, nor the answer', async () => {
  const evaluated: unknown[][] = []
  const Forbidden = new Proxy(Function, {
    construct(_, args: unknown[]) {
      evaluated.push(args)
      throw new EvalError('code generation from strings is disallowed')
    },
  })
  vi.stubGlobal('Function', Forbidden)
  const gateway = createGateway({
    publicUrl: 'https://gateway.example',
    servers: {},
    authenticate: () => ({ id: 'ada' }),
    origins: [],
    secret: 'a secret of the tests, long enough to sign',
  })
  for (const era of ['modern', 'legacy'] as const) {
    const response = await gateway.request('/mcp', rpcRequest(era, 'tools/list'))
    expect(await response.text()).toContain('"tools":[]')
  }
  expect(evaluated).toEqual([])
})
