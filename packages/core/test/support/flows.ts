import { createFlows, type FlowBeginning } from '../../src/authorization/flow.js'
import { createMemoryTokenStore } from '../../src/authorization/token-store.js'
import type { Tokens } from '../../src/authorization/tokens.js'
import { serverMetadata } from './scripted-web.js'
import { createTimers } from './timers.js'
import { issuer, json, type TokenRequest, tokenEndpoint } from './token-endpoint.js'

export const serverUrl = 'https://server.example/mcp'
export const redirectUrl = 'https://app.example/callback'

/** What a flow begins with; `own` is the authorization server's metadata. */
export const beginning = (own: object = {}): FlowBeginning => ({
  discovered: { resource: serverUrl, issuer, metadata: serverMetadata(issuer, own), resourceMetadataFound: true },
  client: { clientId: 'client', authMethod: 'none', source: 'dynamic', redirectUrl, issuer },
  scopes: [],
  sendResource: true,
})

export interface TestFlowsOptions {
  store?: ReturnType<typeof createMemoryTokenStore>
  server?: string
  answer?(request: TokenRequest): Response | Promise<Response>
}

/** Flows over a scripted token endpoint, and the tokens that were kept. */
export function testFlows({ store = createMemoryTokenStore(), server = serverUrl, answer }: TestFlowsOptions = {}) {
  const timers = createTimers()
  const endpoint = tokenEndpoint(answer ?? (() => json({ access_token: 'access', token_type: 'Bearer' })))
  const kept: Tokens[] = []
  const flows = createFlows({
    ...{ store, server: 'notes', serverUrl: server, configured: [], fetch: endpoint.fetch, now: timers.now },
    report() {},
  })
  return {
    ...{ store, timers, requests: endpoint.requests, kept },
    /** The parameters of the page. */
    begin: async (flow = beginning()) => new URL(await flows.begin(flow)).searchParams,
    finish: (query: Record<string, string | null>) => {
      const given = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== null)
      const keep = async (tokens: Tokens) => void kept.push(tokens)
      return flows.finish(`${redirectUrl}?${new URLSearchParams(given)}`, { keep })
    },
    flows,
  }
}
