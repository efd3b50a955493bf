import { createHash } from 'node:crypto'
import { describe, expect, test, vi } from 'vitest'
import { toErrorData } from '../../src/errors.js'
import { beginning, redirectUrl, serverUrl, testFlows } from '../support/flows.js'
import { failOnUnhandled } from '../support/no-unhandled.js'
import { mcpRejection } from '../support/rejection.js'
import { issuer } from '../support/token-endpoint.js'

failOnUnhandled()

const promised = { authorization_response_iss_parameter_supported: true }

describe('OD-28 A code from another authorization server', () => {
  test.each<[string, object, string | null]>([
    ['no iss, where it was promised', promised, null],
    ['another one', promised, 'https://evil.example'],
    ['one with a slash at the end', promised, `${issuer}/`],
    ['another one, where none was promised', {}, 'https://evil.example'],
  ])('%s: nothing is sent, and the state is used up', async (_name, metadata, iss) => {
    const { begin, finish, requests } = testFlows()
    const state = (await begin(beginning(metadata))).get('state')
    const refused = { code: 'ERR_MCP_AUTHORIZATION', data: { server: 'notes', step: 'callback', reason: 'issuer' } }
    expect(await mcpRejection(finish({ state, code: 'c0de', iss }))).toMatchObject(refused)
    expect(await mcpRejection(finish({ state, code: 'c0de', iss: issuer }))).toMatchObject({
      data: { reason: 'completed' },
    })
    expect(requests).toEqual([])
  })

  test('of an error, too: what it says is not told', async () => {
    const { begin, finish } = testFlows()
    const state = (await begin(beginning(promised))).get('state')
    const query = { state, error: 'access_denied', error_description: 'Call 555-1234', iss: 'https://evil.example' }
    const error = await mcpRejection(finish(query))
    expect(error).toMatchObject({ data: { reason: 'issuer' } })
    expect(error.message).not.toContain('555')
  })

  test('the one that was asked is taken, promised or not', async () => {
    for (const metadata of [promised, {}]) {
      const { begin, finish, kept } = testFlows()
      await finish({ state: (await begin(beginning(metadata))).get('state'), code: 'c0de', iss: issuer })
      expect(kept).toHaveLength(1)
    }
  })
})

describe('OF-47 A callback that is handled twice', () => {
  test('twice at once, and once more: one outcome, and one token request', async () => {
    let release = () => {}
    const released = new Promise<void>((resolve) => {
      release = resolve
    })
    const { begin, finish, requests, kept } = testFlows({
      async answer() {
        await released
        return Response.json({ access_token: 'access', token_type: 'Bearer' })
      },
    })
    const state = (await begin()).get('state')
    const first = finish({ state, code: 'c0de' })
    await vi.waitUntil(() => requests.length > 0)
    const second = finish({ state, code: 'c0de' })
    // The second has done all that it can do.
    for (let turns = 0; turns < 10; turns++) await new Promise(setImmediate)
    release()
    await Promise.all([first, second])
    await finish({ state, code: 'c0de' })
    expect(requests).toHaveLength(1)
    expect(kept).toHaveLength(1)
  })

  test('by two connections of one host, too', async () => {
    const first = testFlows()
    const second = testFlows({ store: first.store })
    const state = (await first.begin()).get('state')
    await Promise.all([first.finish({ state, code: 'c0de' }), second.finish({ state, code: 'c0de' })])
    expect(first.requests.length + second.requests.length).toBe(1)
  })

  test('a failure is the same failure again', async () => {
    const { begin, finish, requests } = testFlows({
      answer: () => Response.json({ error: 'invalid_grant' }, { status: 400 }),
    })
    const state = (await begin()).get('state')
    const failed = { data: { step: 'token', reason: 'invalid_grant', server: 'notes' } }
    expect(await mcpRejection(finish({ state, code: 'c0de' }))).toMatchObject(failed)
    expect(await mcpRejection(finish({ state, code: 'c0de' }))).toMatchObject(failed)
    expect(requests).toHaveLength(1)
  })
})

describe('OF-48 Sign-ins that overlap', () => {
  test('each has its own verifier, whichever comes back first', async () => {
    const { begin, finish, requests } = testFlows()
    const [one, other] = [await begin(), await begin()]
    await finish({ state: other.get('state'), code: 'other' })
    await finish({ state: one.get('state'), code: 'one' })
    const sent = requests.map(({ form }) => [
      form.get('code'),
      createHash('sha256').update(form.get('code_verifier')!).digest('base64url'),
    ])
    expect(sent).toEqual([
      ['other', other.get('code_challenge')],
      ['one', one.get('code_challenge')],
    ])
    expect(one.get('code_challenge')).not.toBe(other.get('code_challenge'))
  })

  test('what began is not changed by what begins later', async () => {
    const { begin, finish, requests, kept } = testFlows()
    const state = (await begin()).get('state')
    const later = beginning()
    later.client = { ...later.client, clientId: 'later', redirectUrl: 'https://app.example/later' }
    later.discovered = { ...later.discovered, resource: 'https://server.example/later' }
    await begin(later)
    await finish({ state, code: 'c0de' })
    expect(Object.fromEntries(requests[0]!.form)).toMatchObject({
      client_id: 'client',
      redirect_uri: redirectUrl,
      resource: serverUrl,
    })
    expect(kept[0]).toMatchObject({ issuer, resource: serverUrl, clientId: 'client' })
  })

  test('ends with its time', async () => {
    const { begin, finish, requests, timers } = testFlows()
    const state = (await begin()).get('state')
    timers.advance(10 * 60_000)
    expect(await mcpRejection(finish({ state, code: 'c0de' }))).toMatchObject({ data: { reason: 'expired' } })
    expect(requests).toEqual([])
  })
})

describe('OF-49 A state that is missing, wrong or used', () => {
  test.each<[string, string | null]>([
    ['none', null],
    ['an empty one', ''],
    ['a wrong one', 'wrong'],
    ['the name of what every object has', 'constructor'],
  ])('%s: nothing is sent, and the flow can still end', async (_name, state) => {
    const { begin, finish, requests, kept } = testFlows()
    const right = (await begin()).get('state')
    expect(await mcpRejection(finish({ state, code: 'c0de' }))).toMatchObject({
      data: { server: 'notes', step: 'callback', reason: 'state' },
    })
    expect(requests).toEqual([])
    await finish({ state: right, code: 'c0de' })
    expect(kept).toHaveLength(1)
  })

  test('that of another server: nothing is sent, and that server’s flow can still end', async () => {
    const one = testFlows()
    const other = testFlows({ store: one.store, server: 'https://other.example/mcp' })
    const state = (await other.begin()).get('state')
    expect(await mcpRejection(one.finish({ state, code: 'c0de' }))).toMatchObject({ data: { reason: 'state' } })
    expect(one.requests).toEqual([])
    await other.finish({ state, code: 'c0de' })
    expect(other.kept).toHaveLength(1)
  })

  test('a used one, with another code: it is completed already', async () => {
    const { begin, finish, requests } = testFlows()
    const state = (await begin()).get('state')
    await finish({ state, code: 'c0de' })
    const error = await mcpRejection(finish({ state, code: 'other' }))
    expect(error).toMatchObject({ data: { reason: 'completed' } })
    expect(error.message).toContain('already completed')
    expect(requests).toHaveLength(1)
  })

  test('one that is there twice, and what is no URL, are no callback', async () => {
    const { begin, flows, requests } = testFlows()
    const state = (await begin()).get('state')
    const keep = async () => {}
    for (const url of [`${redirectUrl}?state=${state}&state=x&code=c`, `?state=${state}&code=c`, undefined as never])
      expect(await mcpRejection(flows.finish(url, { keep }))).toMatchObject({ data: { reason: 'state' } })
    expect(requests).toEqual([])
  })
})

describe('OF-50 A sign-in that is declined', () => {
  const declined = { error: 'access_denied', error_description: 'No <b>thanks</b>\u202e\n\u0007' }

  test('is rejected at once, with the code and the text as plain text; the state is used up', async () => {
    const { begin, finish, requests } = testFlows()
    const state = (await begin()).get('state')
    const error = await mcpRejection(finish({ state, ...declined }))
    expect(error).toMatchObject({
      code: 'ERR_MCP_AUTHORIZATION',
      data: { server: 'notes', step: 'callback', reason: 'access_denied' },
    })
    expect(error.message).toBe('The sign-in at notes was refused: access_denied: No <b>thanks</b>')
    expect(await mcpRejection(finish({ state, code: 'c0de' }))).toMatchObject({ data: { reason: 'completed' } })
    expect(requests).toEqual([])
  })

  test('with a wrong state it is passed over', async () => {
    const { begin, finish, kept } = testFlows()
    const state = (await begin()).get('state')
    const error = await mcpRejection(finish({ state: 'wrong', ...declined }))
    expect(error).toMatchObject({ data: { reason: 'state' } })
    expect(error.message).not.toContain('thanks')
    await finish({ state, code: 'c0de' })
    expect(kept).toHaveLength(1)
  })

  test('an error that is no code is text, and names no reason of its own', async () => {
    const { begin, finish } = testFlows()
    const state = (await begin()).get('state')
    expect(await mcpRejection(finish({ state, error: '<script>alert(1)</script>' }))).toMatchObject({
      data: { reason: 'refused' },
    })
  })
})

test('no verifier, state or code is in any error', async () => {
  const { begin, finish, requests } = testFlows({
    answer: ({ form }) => Response.json({ error: 'invalid_grant', error_description: String(form) }, { status: 400 }),
  })
  const state = (await begin()).get('state')
  const errors = [
    await mcpRejection(finish({ state, code: 's3cret-c0de' })),
    await mcpRejection(finish({ state, code: 'x' })),
  ]
  const verifier = requests[0]!.form.get('code_verifier')!
  for (const secret of [verifier, state!, 's3cret-c0de'])
    expect(errors.map((error) => JSON.stringify(toErrorData(error))).join()).not.toContain(secret)
})
