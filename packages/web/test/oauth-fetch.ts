import { createMcpFetch } from './mcp-fetch.js'

export const url = 'https://server.test/mcp'
export const issuer = 'https://as.test'
export const redirectUrl = 'https://app.test/callback'

/** An MCP server that takes only what the authorization server beside it gave, behind an injected `fetch`. */
export function createOAuthFetch(tools: Parameters<typeof createMcpFetch>[0] = {}) {
  const mcp = createMcpFetch(tools)
  const accepted = new Set<string>()
  const secrets: string[] = []
  let count = 0

  const fetch: typeof globalThis.fetch = async (input, init) => {
    switch (String(input)) {
      case 'https://server.test/.well-known/oauth-protected-resource/mcp':
        return Response.json({ resource: url, authorization_servers: [issuer] })
      case `${issuer}/.well-known/oauth-authorization-server`:
        return Response.json({
          issuer,
          authorization_endpoint: `${issuer}/authorize`,
          token_endpoint: `${issuer}/token`,
          registration_endpoint: `${issuer}/register`,
          code_challenge_methods_supported: ['S256'],
          token_endpoint_auth_methods_supported: ['none'],
        })
      case `${issuer}/register`:
        return Response.json({ client_id: 'client' }, { status: 201 })
      case `${issuer}/token`: {
        const access_token = `s3cret-access-${++count}`
        const form = new URLSearchParams(String(init?.body))
        accepted.add(access_token)
        secrets.push(access_token, form.get('code_verifier') ?? '')
        return Response.json({ access_token, token_type: 'Bearer' })
      }
      case url: {
        const token = new Headers(init?.headers).get('authorization')?.replace(/^Bearer /, '')
        return token && accepted.has(token) ? mcp.fetch(input, init) : new Response(null, { status: 401 })
      }
      default:
        return new Response(null, { status: 404 })
    }
  }
  return { fetch, accepted, secrets, requests: mcp.requests }
}

/** The callback of a person who agrees. */
export const agree = (page: string) =>
  `${redirectUrl}?${new URLSearchParams({ code: 'c0de', state: new URL(page).searchParams.get('state') ?? '' })}`
