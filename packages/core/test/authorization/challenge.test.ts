import { describe, expect, test } from 'vitest'
import { type Challenge, parseChallenges, readChallenges } from '../../src/authorization/challenge.js'

// By the grammar of RFC 9110 11.6.1; the first three are the examples of RFC 9110, 6750 and 9728.
const wellFormed: [header: string, challenges: Challenge[]][] = [
  [
    'Newauth realm="apps", type=1, title="Login to \\"apps\\"", Basic realm="simple"',
    [
      { scheme: 'Newauth', params: { realm: 'apps', type: '1', title: 'Login to "apps"' } },
      { scheme: 'Basic', params: { realm: 'simple' } },
    ],
  ],
  [
    'Bearer realm="example", error="invalid_token", error_description="The access token expired"',
    [
      {
        scheme: 'Bearer',
        params: { realm: 'example', error: 'invalid_token', error_description: 'The access token expired' },
      },
    ],
  ],
  [
    'Bearer resource_metadata="https://resource.example.com/.well-known/oauth-protected-resource"',
    [
      {
        scheme: 'Bearer',
        params: { resource_metadata: 'https://resource.example.com/.well-known/oauth-protected-resource' },
      },
    ],
  ],
  ['Negotiate', [{ scheme: 'Negotiate', params: {} }]],
  ['Negotiate YIIB+/abc==', [{ scheme: 'Negotiate', params: {} }]],
  [
    'Negotiate YIIB==, Bearer scope="a b"',
    [
      { scheme: 'Negotiate', params: {} },
      { scheme: 'Bearer', params: { scope: 'a b' } },
    ],
  ],
  [
    'Basic, DPoP algs="ES256 EdDSA"',
    [
      { scheme: 'Basic', params: {} },
      { scheme: 'DPoP', params: { algs: 'ES256 EdDSA' } },
    ],
  ],
  [
    'bearer Scope = "a" , ERROR = invalid_token',
    [{ scheme: 'bearer', params: { scope: 'a', error: 'invalid_token' } }],
  ],
  ['Bearer realm="a, b=c, Basic"', [{ scheme: 'Bearer', params: { realm: 'a, b=c, Basic' } }]],
  ['Bearer realm=""', [{ scheme: 'Bearer', params: { realm: '' } }]],
  [', ,Bearer realm="x",, error=e,', [{ scheme: 'Bearer', params: { realm: 'x', error: 'e' } }]],
]

// What servers write all the same.
const illFormed: [header: string, challenges: Challenge[]][] = [
  ['Bearer scope="first", scope="second"', [{ scheme: 'Bearer', params: { scope: 'first' } }]],
  ['Bearer realm="x" error="e"', [{ scheme: 'Bearer', params: { realm: 'x', error: 'e' } }]],
  [
    'Bearer resource_metadata=https://h.example/.well-known/x?a=b, error=e',
    [{ scheme: 'Bearer', params: { resource_metadata: 'https://h.example/.well-known/x?a=b', error: 'e' } }],
  ],
  ['Bearer error="e", realm="never closed', [{ scheme: 'Bearer', params: { error: 'e' } }]],
  ['Bearer error="e", @@@, realm="x"', [{ scheme: 'Bearer', params: { error: 'e' } }]],
  ['realm="of no scheme"', []],
  ['"', []],
  ['', []],
]

describe('a WWW-Authenticate header', () => {
  test.each(wellFormed)('%s', (header, challenges) => {
    expect(parseChallenges(header)).toEqual(challenges)
  })

  test.each(illFormed)('ill-formed: %s', (header, challenges) => {
    expect(parseChallenges(header)).toEqual(challenges)
  })

  test('several headers are one list', () => {
    const headers = new Headers([
      ['www-authenticate', 'Basic realm="a"'],
      ['www-authenticate', 'Bearer scope="b", scope="c"'],
    ])
    expect(readChallenges(headers)).toEqual([
      { scheme: 'Basic', params: { realm: 'a' } },
      { scheme: 'Bearer', params: { scope: 'b' } },
    ])
  })

  test('one that is not to be seen is unknown, not absent', () => {
    expect(readChallenges(new Headers())).toBe('unknown')
    expect(readChallenges(new Headers({ 'www-authenticate': '' }))).toEqual([])
  })

  test('names that objects have by themselves are names like any other', () => {
    const [challenge] = parseChallenges('Bearer __proto__="x", constructor="y"')
    expect(Object.entries(challenge!.params)).toEqual([
      ['__proto__', 'x'],
      ['constructor', 'y'],
    ])
  })

  test('its length and the number of its challenges are bounded, and so is the time', () => {
    expect(parseChallenges('Basic, '.repeat(1000))).toHaveLength(20)
    expect(parseChallenges(`Bearer realm="${'\\'.repeat(1_000_000)}`)).toEqual([{ scheme: 'Bearer', params: {} }])
    expect(parseChallenges(`Bearer ${' '.repeat(20_000)}scope="late"`)).toEqual([{ scheme: 'Bearer', params: {} }])
  })
})
