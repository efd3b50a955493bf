import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { modernServer } from '../support/mcp-server.js'
import { failOnUnhandled } from '../support/no-unhandled.js'
import { createWorld, issuer, signingHost, url } from '../support/oauth-world.js'
import { type ReadJwt, readJwt } from '../support/read-jwt.js'

failOnUnhandled()

const sha256 = (text: string) => createHash('sha256').update(text).digest('base64url')

/** Its signature is of the key that it names. */
const readProof = (proof: string) => {
  const { jwk } = JSON.parse(Buffer.from(proof.split('.')[0]!, 'base64url').toString())
  return readJwt(proof, jwk)
}

interface Demands {
  /** How the server says that it wants proofs. */
  challenge?: string
  resource?: object
  /** The nonces that it wants, one after the other; each is good for so many requests. */
  nonces?: string[]
}

/** An MCP server that takes tokens of a key only, with proofs of it. */
function dpopWorld({ challenge = 'DPoP algs="ES256"', resource = {}, nonces = [] }: Demands) {
  const proofs: ReadJwt[] = []
  const world = createWorld({
    resource,
    metadata: { dpop_signing_alg_values_supported: ['ES256'] },
    tokenAnswer: () => Response.json({ access_token: 'bound', token_type: 'DPoP', refresh_token: 'r' }),
  })
  const mcp = modernServer()
  const fetch: typeof globalThis.fetch = async (input, init) => {
    if (String(input) !== url) return world.fetch(input, init)
    await world.fetch(input, init)
    const sent = world.sent.at(-1)!
    const proof = sent.headers.get('dpop')
    if (sent.headers.get('authorization') !== 'DPoP bound' || !proof)
      return new Response(null, { status: 401, headers: { 'www-authenticate': challenge } })
    const jwt = readProof(proof)
    proofs.push(jwt)
    const [nonce] = nonces
    if (nonce !== undefined && jwt.claims.nonce !== nonce)
      return new Response(null, {
        status: 401,
        headers: { 'www-authenticate': 'DPoP error="use_dpop_nonce"', 'dpop-nonce': nonce },
      })
    const answer = await mcp(sent)
    // The next one is handed out in time.
    if (nonces.length > 1) nonces.shift()
    return nonces[0] === undefined
      ? answer
      : new Response(answer.body, { headers: { ...Object.fromEntries(answer.headers), 'dpop-nonce': nonces[0] } })
  }
  return { world, fetch, proofs }
}

test.each<[string, Demands]>([
  ['by its challenge', {}],
  ['by the resource’s metadata', { challenge: 'Bearer', resource: { dpop_bound_access_tokens_required: true } }],
])('a key that is demanded %s: tokens of that key, and a proof for each request', async (_name, demands) => {
  const { world, fetch, proofs } = dpopWorld(demands)
  const { connect, asked } = signingHost(world, { fetch })
  const client = await connect()
  await client.callTool('private')
  expect(asked).toHaveLength(1)
  const ids = proofs.map(({ claims }) => claims.jti)
  expect(new Set(ids).size).toBe(ids.length)
  for (const { header, claims } of proofs) {
    expect(header).toMatchObject({ typ: 'dpop+jwt', alg: 'ES256' })
    expect(claims).toMatchObject({ htm: 'POST', htu: url, ath: sha256('bound') })
  }
  const proof = world.sent.find(({ url: at }) => at === `${issuer}/token`)!.headers.get('dpop')!
  expect(readProof(proof).claims).toMatchObject({ htm: 'POST', htu: `${issuer}/token` })
})

test('a nonce that is wanted: the request is sent again with it; the next comes with each response', async () => {
  const { world, fetch, proofs } = dpopWorld({ nonces: ['n-1', 'n-2', 'n-3', 'n-4'] })
  const { connect, asked } = signingHost(world, { fetch })
  const client = await connect()
  await client.callTool('a')
  await client.callTool('b')
  expect(asked).toHaveLength(1)
  expect(proofs.map(({ claims }) => claims.nonce)).toEqual([undefined, 'n-1', 'n-2', 'n-3'])
})

test('connections of one host share the key, and the tokens; another host has its own', async () => {
  const { world, fetch, proofs } = dpopWorld({})
  const { connect, asked } = signingHost(world, { fetch })
  await connect()
  const before = world.sent.length
  await connect()
  expect(asked).toHaveLength(1)
  expect(world.sent[before]?.headers.get('authorization')).toBe('DPoP bound')
  const other = signingHost(world, { fetch })
  await other.connect()
  expect(other.asked).toHaveLength(1)
  expect(new Set(proofs.map(({ header }) => JSON.stringify(header.jwk))).size).toBe(2)
})
