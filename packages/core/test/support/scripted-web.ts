import { type ScriptedFetch, type Sent, scriptedFetch } from './scripted-fetch.js'

export type Answer = Response | ((sent: Sent) => Response | Promise<Response>) | object

/**
 * A fetch for a handful of URLs: an object is answered as JSON, a function is asked, `TypeError` is a network that
 * fails, and what isn't there is 404.
 */
export function scriptedWeb(answers: Record<string, Answer>): ScriptedFetch {
  return scriptedFetch((sent) => {
    const answer = answers[sent.url] ?? new Response('not found', { status: 404 })
    if (answer instanceof Error) throw answer
    if (answer instanceof Response) return answer.clone()
    return typeof answer === 'function' ? (answer as (sent: Sent) => Response)(sent) : Response.json(answer)
  })
}

/** What a host answers that serves its app for every path. */
export const page = () =>
  new Response('<!doctype html><title>App</title>', { headers: { 'content-type': 'text/html; charset=utf-8' } })

/** Metadata of an authorization server that can do what MCP needs. */
export function serverMetadata(issuer: string, own: object = {}) {
  const base = issuer.replace(/\/$/, '')
  return {
    issuer,
    authorization_endpoint: `${base}/authorize`,
    token_endpoint: `${base}/token`,
    registration_endpoint: `${base}/register`,
    response_types_supported: ['code'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: ['none'],
    ...own,
  }
}
