import { createHash, randomBytes } from 'node:crypto'
import type { Answers } from '../src/form-browser.js'
import { createFormBrowser } from '../src/form-browser.js'
import type { OauthServer } from '../src/start-server.js'

export const redirectUrl = 'http://127.0.0.1:9/callback'
const secret = () => randomBytes(32).toString('base64url')

/** Registers and signs in with nothing but `fetch`, as RFC 6749 and 7636 have it. */
export async function signInRaw({ issuer, resource }: OauthServer, scope: string, answers?: Answers) {
  const registration = await fetch(`${issuer}/reg`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      redirect_uris: [redirectUrl],
      application_type: 'native',
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code', 'refresh_token'],
    }),
  })
  const { client_id } = (await registration.json()) as { client_id: string }
  const verifier = secret()
  const state = secret()
  const url = new URL(`${issuer}/auth`)
  url.search = new URLSearchParams({
    client_id,
    response_type: 'code',
    redirect_uri: redirectUrl,
    scope,
    state,
    resource,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  }).toString()
  const visit = await createFormBrowser().visit(url.href, redirectUrl, answers)
  const callback = new URL(visit.callbackUrl).searchParams
  return { client_id, verifier, state, callback, forms: visit.forms }
}

/** Asks the token endpoint. */
export async function askForToken(issuer: string, fields: Record<string, string>) {
  const response = await fetch(`${issuer}/token`, { method: 'POST', body: new URLSearchParams(fields) })
  return { status: response.status, reply: (await response.json()) as Record<string, string> }
}

/** A whole sign-in. */
export async function tokensRaw(server: OauthServer, scope: string) {
  const { client_id, verifier, callback } = await signInRaw(server, scope)
  const { reply } = await askForToken(server.issuer, {
    grant_type: 'authorization_code',
    code: callback.get('code')!,
    redirect_uri: redirectUrl,
    code_verifier: verifier,
    client_id,
    resource: server.resource,
  })
  return { client_id, reply }
}

/** Calls a tool of the MCP server. */
export function callTool(resource: string, token: string, name: string, args: object = {}) {
  return fetch(resource, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } }),
  })
}
