import { createHmac } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { createSessionIds } from '../src/session-id.js'
import { secret } from './support/start-gateway.js'

const owner = { caller: 'ada', server: 'notes' }
const ids = createSessionIds(secret)

describe('session ids', () => {
  test('an id comes back to its owner as the upstream gave it', async () => {
    for (const id of ['1868a90c-5b7e', 'a.b.c', '!~', 'x'.repeat(500)]) {
      const signed = await ids.sign(owner, id)
      expect(await ids.verify(owner, signed)).toBe(id)
    }
  })

  test('the signature is HMAC-SHA-256 of caller, server and id as JSON, in base64url', async () => {
    const expected = createHmac('sha256', secret).update('["ada","notes","s-1"]').digest('base64url')
    expect(await ids.sign(owner, 's-1')).toBe(`s-1.${expected}`)
  })

  test.each([
    ['another caller', { ...owner, caller: 'bob' }],
    ['another server', { ...owner, server: 'mail' }],
    ['names that join to the same text', { caller: 'ada","notes', server: 'x' }],
  ])('it is refused to %s', async (_, other) => {
    expect(await ids.verify(other, await ids.sign(owner, 's-1'))).toBeUndefined()
  })

  test('it is refused under another secret', async () => {
    const signed = await ids.sign(owner, 's-1')
    expect(await createSessionIds(`${secret}!`).verify(owner, signed)).toBeUndefined()
  })

  test.each(['s-1', 's-1.', '.', '', 's-1.AAAA', `s-1.${'A'.repeat(43)}`, `s-1.${'='.repeat(43)}`])(
    'what was never handed out is refused: %s',
    async (forged) => {
      expect(await ids.verify(owner, forged)).toBeUndefined()
    },
  )

  test('a changed id is refused', async () => {
    const signed = await ids.sign(owner, 's-1')
    expect(await ids.verify(owner, signed.replace('s-1', 's-2'))).toBeUndefined()
  })
})
