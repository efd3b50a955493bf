import { describe, expect, test } from 'vitest'
import { createStaticAuthorization, type StaticConfig } from '../../src/authorization/static.js'
import { type AuthConfig, type ConnectOptions, resolveConfig } from '../../src/config.js'
import { McpError, toErrorData } from '../../src/errors.js'
import { failOnUnhandled } from '../support/no-unhandled.js'
import { mcpRejection } from '../support/rejection.js'

failOnUnhandled()

const authorization = (auth: AuthConfig | undefined, hooks: Pick<ConnectOptions, 'token'> = {}) =>
  createStaticAuthorization(
    resolveConfig({ url: 'https://server.example/mcp', ...(auth && { auth }) }) as StaticConfig,
    hooks,
  )

/** The error that making it throws. */
function refusal(auth: AuthConfig): McpError {
  try {
    authorization(auth)
  } catch (error) {
    if (McpError.is(error)) return error
    throw error
  }
  throw new Error('it was accepted')
}

test('without "auth" there is no header, and the token hook is not asked', async () => {
  const token = () => Promise.reject(new Error('asked'))
  expect(await authorization(undefined, { token }).headers()).toEqual({})
})

test('an API key goes into its own header', async () => {
  const { headers } = authorization({ type: 'api-key', header: 'X-Api-Key', value: ' k3y\n' })
  expect(await headers()).toEqual({ 'x-api-key': 'k3y' })
})

describe('a bearer token', () => {
  test.each(['t0ken', ' t0ken\n', 'Bearer t0ken', 'bearer  t0ken', '\tBEARER\tt0ken\r\n'])(
    'pasted as %j',
    async (token) => {
      expect(await authorization({ type: 'bearer', token }).headers()).toEqual({ authorization: 'Bearer t0ken' })
    },
  )

  test.each(['', ' ', 's3cret x', 's3cret\nx', 's3cret\r\nX-Injected: 1', 's3crét', 's3cret\u0000'])(
    '%j is refused at once, and is in no error',
    (token) => {
      const error = refusal({ type: 'bearer', token })
      expect(error).toMatchObject({
        code: 'ERR_MCP_CONFIG',
        data: { key: 'auth', server: 'https://server.example/mcp' },
      })
      expect(JSON.stringify(toErrorData(error))).not.toContain('s3cr')
    },
  )

  test('of another type is refused, too', () => {
    expect(refusal({ type: 'bearer', token: 5 as unknown as string })).toMatchObject({ data: { key: 'auth' } })
  })

  test('is needed, or the hook', () => {
    expect(refusal({ type: 'bearer' })).toMatchObject({ code: 'ERR_MCP_CONFIG', data: { key: 'auth' } })
  })

  test('of the configuration goes before the hook’s', async () => {
    const { headers } = authorization({ type: 'bearer', token: 'mine' }, { token: async () => 'hook' })
    expect(await headers()).toEqual({ authorization: 'Bearer mine' })
  })
})

describe('the token hook', () => {
  test('is asked once, by the server’s name, also by two requests at the same time', async () => {
    const asked: unknown[] = []
    const { headers } = authorization(
      { type: 'bearer' },
      {
        async token(context) {
          asked.push(context)
          return 'Bearer t0ken\n'
        },
      },
    )
    expect(asked).toEqual([])
    const expected = { authorization: 'Bearer t0ken' }
    expect(await Promise.all([headers(), headers()])).toEqual([expected, expected])
    expect(await headers()).toEqual(expected)
    expect(asked).toEqual([{ server: 'https://server.example/mcp', reason: 'first' }])
  })

  test('that fails leaves no token: told without its text, kept as the cause, and asked again', async () => {
    const failure = new Error('vault said s3cret')
    let calls = 0
    const token = () => {
      calls++
      if (calls === 1) throw failure
      return Promise.resolve('t0ken')
    }
    const { headers } = authorization({ type: 'bearer' }, { token })
    const error = await mcpRejection(headers())
    expect(error).toMatchObject({ code: 'ERR_MCP_UNAUTHORIZED', data: { reason: 'token' }, cause: failure })
    expect(error.message).not.toContain('s3cret')
    expect(await headers()).toEqual({ authorization: 'Bearer t0ken' })
  })

  test.each([undefined, null, 5, '', 's3cret\ns3cret'])('that gives %j is refused', async (given) => {
    const { headers } = authorization({ type: 'bearer' }, { token: async () => given as string })
    const error = await mcpRejection(headers())
    expect(error).toMatchObject({ code: 'ERR_MCP_CONFIG', data: { key: 'auth' } })
    expect(JSON.stringify(toErrorData(error))).not.toContain('s3cret')
  })
})

describe('a token that the server refused', () => {
  /** The hook gives these, one after the other. */
  function asking(...given: (string | Error)[]) {
    const reasons: string[] = []
    const token = async ({ reason }: { reason: string }) => {
      reasons.push(reason)
      const next = given[reasons.length - 1]!
      if (next instanceof Error) throw next
      return next
    }
    const { headers, renew } = authorization({ type: 'bearer' }, { token })
    const refusal = new Response(null, { status: 401 })
    return { headers, renew: (refused: Record<string, string>) => renew!(refused, refusal), reasons }
  }

  test('is asked for anew, once for any number of requests that it was refused of', async () => {
    const { headers, renew, reasons } = asking('old', 'new')
    const refused = await headers()
    expect(await Promise.all([renew(refused), renew(refused), renew(refused)])).toEqual([true, true, true])
    expect(await headers()).toEqual({ authorization: 'Bearer new' })
    // One that was under way with the old token for longer.
    expect(await renew(refused)).toBe(true)
    expect(reasons).toEqual(['first', 'unauthorized'])
  })

  test('that the hook gives again is not worth another try', async () => {
    const { headers, renew, reasons } = asking('old', 'old')
    const refused = await headers()
    expect(await Promise.all([renew(refused), renew(refused)])).toEqual([false, false])
    expect(reasons).toHaveLength(2)
  })

  test('whose hook fails is an error for each, and the next request asks again', async () => {
    const { headers, renew, reasons } = asking('old', new Error('locked'), 'new')
    const refused = await headers()
    for (const error of await Promise.all([mcpRejection(renew(refused)), mcpRejection(renew(refused))]))
      expect(error).toMatchObject({ code: 'ERR_MCP_UNAUTHORIZED', data: { reason: 'token' } })
    expect(await headers()).toEqual({ authorization: 'Bearer new' })
    expect(reasons).toHaveLength(3)
  })

  test('of the configuration can’t be renewed, nor can an API key', () => {
    expect(authorization({ type: 'bearer', token: 'x' }).renew).toBeUndefined()
    expect(authorization({ type: 'api-key', header: 'x-key', value: 'k' }).renew).toBeUndefined()
  })
})
