import { describe, expect, test } from 'vitest'
import { type Canary, emptySurfaces, findLeaks, type SurfaceName, surfaceNames } from '../src/canaries/find-leaks.js'
import { toText } from '../src/canaries/to-text.js'
import { type SecretKind, secretKinds } from '../src/server/control.js'

const canary = (kind: Canary['kind']): Canary => ({ kind, value: `canary ${kind}/+value` })
const surfacesWith = (name: SurfaceName, text: string) => ({ ...emptySurfaces(), [name]: ['before', `x${text}x`] })

describe('a secret is found', () => {
  const everywhere: SecretKind[] = secretKinds.filter((kind) => kind !== 'state' && kind !== 'code')
  test.each(everywhere)('%s: on every surface', (kind) => {
    for (const name of surfaceNames)
      expect(findLeaks([canary(kind)], surfacesWith(name, canary(kind).value))).toEqual([`${kind} in ${name}`])
  })

  test.each([
    ['as it is', (value: string) => value],
    ['in a URL', encodeURIComponent],
    ['in JSON', (value: string) => JSON.stringify({ value })],
    ['in Basic credentials', (value: string) => btoa(`a:${value}`)],
    ['in Basic credentials of a longer name', (value: string) => btoa(`abc:${value}!`)],
    ['in Basic credentials of a name between', (value: string) => btoa(`ab:${value}?`)],
  ])('%s', (_, write) => {
    const secret: Canary = { kind: 'client_secret', value: 'a "secret" of some length/+' }
    expect(findLeaks([secret], surfacesWith('console', write(secret.value)))).toEqual(['client_secret in console'])
  })

  test('in what an error hides: its message, data and cause', () => {
    for (const error of [
      new Error('the canary'),
      Object.assign(new Error('no'), { data: { deep: ['the canary'] } }),
      new Error('no', { cause: new Error('the canary') }),
    ])
      expect(toText(error)).toContain('the canary')
  })

  test('in bytes, maps and sets', () => {
    for (const value of [
      new TextEncoder().encode('the canary'),
      new Map([['k', 'the canary']]),
      new Set(['the canary']),
    ])
      expect(toText({ value })).toContain('the canary')
  })
})

describe('what the person carries is no leak', () => {
  test.each([
    ['state', ['authorization URLs', 'callback URLs']],
    ['code', ['callback URLs']],
  ] as const)('%s', (kind, allowed) => {
    const found = surfaceNames.filter(
      (name) => findLeaks([canary(kind)], surfacesWith(name, canary(kind).value)).length > 0,
    )
    expect(found).toEqual(surfaceNames.filter((name) => !(allowed as readonly string[]).includes(name)))
  })
})

test('a leak is told without the secret', () => {
  const [told] = findLeaks([canary('access_token')], surfacesWith('storage', canary('access_token').value))
  expect(told).not.toContain('canary')
})
