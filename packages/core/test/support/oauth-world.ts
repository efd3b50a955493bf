import type { AuthorizationRequest, ConnectOptions, Runtime, ServerConfig } from '../../src/config.js'
import type { AuthorizationEvent, ConnectionEvent } from '../../src/connection.js'
import { createHost } from '../../src/index.js'
import { modernServer } from './mcp-server.js'
import { type Sent, scriptedFetch } from './scripted-fetch.js'
import { serverMetadata } from './scripted-web.js'
import { createTimers } from './timers.js'

export const url = 'https://server.example/mcp'
export const issuer = 'https://as.example'
export const redirectUrl = 'https://app.example/callback'

/** What an authorization server gave out, and to whom. */
interface Code {
  challenge: string
  scope: string
  clientId: string
  redirectUrl: string
  resource: string | null
}

export interface World {
  fetch: typeof fetch
  /** Every request to anybody, in order. */
  sent: Sent[]
  /** Fields of each token request. */
  tokenRequests: URLSearchParams[]
  /** Access tokens that the MCP server takes, with their scopes. */
  accepted: Map<string, string>
  /** Clients that the authorization server knows. */
  clients: Set<string>
  refreshTokens: Set<string>
  /** What the person does at the page: gives the URL of the callback. */
  approve(request: AuthorizationRequest): string
  /** The parameters of each page that a person was sent to. */
  pages: URLSearchParams[]
}

export interface WorldOptions {
  metadata?: object
  resource?: object
  /** What an MCP request needs; undefined: nothing. Default: any token. */
  needs?(sent: Sent): string | undefined
  challenge?: string
  /** Seconds; default 3 600. */
  expiresIn?: number
  tokenAnswer?(form: URLSearchParams): Response | undefined
  own?: Parameters<typeof modernServer>[0]
}

/** An MCP server that wants tokens, and the authorization server that gives them, both as functions. */
export function createWorld(options: WorldOptions = {}): World {
  const { needs = () => '', challenge, expiresIn = 3_600 } = options
  const mcp = modernServer(options.own)
  const codes = new Map<string, Code>()
  const accepted = new Map<string, string>()
  const [clients, refreshTokens] = [new Set<string>(), new Set<string>()]
  const [tokenRequests, pages]: [URLSearchParams[], URLSearchParams[]] = [[], []]
  let count = 0

  function grant(scope: string): Response {
    const [access_token, refresh_token] = [`access-${++count}`, `refresh-${count}`]
    accepted.set(access_token, scope)
    refreshTokens.add(refresh_token)
    return Response.json({ access_token, refresh_token, token_type: 'Bearer', expires_in: expiresIn, scope })
  }

  async function token(sent: Sent): Promise<Response> {
    const form = new URLSearchParams(String(sent.init.body))
    tokenRequests.push(form)
    const own = options.tokenAnswer?.(form)
    if (own) return own
    const refuse = (error: string, status = 400) => Response.json({ error }, { status })
    if (!clients.has(form.get('client_id') ?? '')) return refuse('invalid_client', 401)
    if (form.get('grant_type') === 'refresh_token') {
      return refreshTokens.delete(form.get('refresh_token') ?? '') ? grant('renewed') : refuse('invalid_grant')
    }
    const code = codes.get(form.get('code') ?? '')
    codes.delete(form.get('code') ?? '')
    const verifier = new TextEncoder().encode(form.get('code_verifier') ?? '')
    const digest = Buffer.from(await crypto.subtle.digest('SHA-256', verifier)).toString('base64url')
    if (!code || code.challenge !== digest || code.redirectUrl !== form.get('redirect_uri'))
      return refuse('invalid_grant')
    return code.clientId === form.get('client_id') ? grant(code.scope) : refuse('invalid_grant')
  }

  function protectedMcp(sent: Sent): Response | Promise<Response> {
    const scope = needs(sent)
    if (scope === undefined) return mcp(sent)
    const granted = accepted.get(sent.headers.get('authorization')?.replace(/^Bearer /, '') ?? '')
    const refuse = (status: number, header: string) =>
      new Response(null, { status, headers: { 'www-authenticate': header } })
    if (granted === undefined) return refuse(401, challenge ?? 'Bearer')
    if (scope !== '' && !granted.split(' ').includes(scope))
      return refuse(403, `Bearer error="insufficient_scope", scope="${scope}"`)
    return mcp(sent)
  }

  const { fetch, sent } = scriptedFetch((sent) => {
    switch (sent.url) {
      case url:
        return protectedMcp(sent)
      case 'https://server.example/.well-known/oauth-protected-resource/mcp':
        return Response.json({ resource: url, authorization_servers: [issuer], ...options.resource })
      case `${issuer}/.well-known/oauth-authorization-server`:
        return Response.json(serverMetadata(issuer, options.metadata))
      case `${issuer}/register`: {
        const client_id = `client-${++count}`
        clients.add(client_id)
        return Response.json({ ...sent.body, client_id }, { status: 201 })
      }
      case `${issuer}/token`:
        return token(sent)
      case `${issuer}/revoke`:
        return new Response(null, { status: 200 })
      default:
        return new Response(null, { status: 404 })
    }
  })

  return {
    ...{ fetch, sent, tokenRequests, accepted, clients, refreshTokens, pages },
    approve(request) {
      const { searchParams: asked } = new URL(request.url)
      pages.push(asked)
      const code = `code-${++count}`
      codes.set(code, {
        challenge: asked.get('code_challenge') ?? '',
        scope: asked.get('scope') ?? '',
        clientId: asked.get('client_id') ?? '',
        redirectUrl: asked.get('redirect_uri') ?? '',
        resource: asked.get('resource'),
      })
      return `${asked.get('redirect_uri')}?code=${code}&state=${asked.get('state')}`
    },
  }
}

export interface Signing {
  config?: Partial<ServerConfig>
  hooks?: ConnectOptions
  runtime?: Partial<Runtime>
}

/** A host of ours in that world; its person approves of everything, unless the hooks say otherwise. */
export function signingHost(world: World, runtime: Partial<Runtime> = {}) {
  const timers = createTimers()
  const host = createHost({ fetch: world.fetch, now: timers.now, setTimer: timers.setTimer, ...runtime })
  const asked: AuthorizationRequest[] = []
  const events: AuthorizationEvent[] = []
  const states: string[] = []
  const hooks: ConnectOptions = {
    async authorize(request) {
      const page = await request
      asked.push(page)
      return { callbackUrl: world.approve(page) }
    },
    onEvent(event: ConnectionEvent) {
      if (event.type === 'authorization') events.push(event)
      if (event.type === 'state') states.push(event.state.status)
    },
  }
  return {
    ...{ host, hooks, timers, asked, events, states },
    connect: ({ config = {}, hooks: own = {} }: Signing = {}) =>
      host.connect({ url, auth: { type: 'oauth', redirectUrl }, ...config }, { ...hooks, ...own }),
  }
}

/** The requests to one address. */
export const sentTo = ({ sent }: Pick<World, 'sent'>, address: string): Sent[] =>
  sent.filter((request) => request.url === address)
