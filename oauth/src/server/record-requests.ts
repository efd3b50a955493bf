import type { KoaContextWithOIDC } from 'oidc-provider'
import type { Recorder } from './control.js'

/** Writes down what the authorization server is asked and answers, and does what the settings want to go wrong. */
export function recordRequests({ settings, note, takeSecrets }: Recorder) {
  return async (context: KoaContextWithOIDC, next: () => Promise<void>): Promise<void> => {
    const isRegistration = context.path === '/reg'
    // `oidc-provider` has CORS for every endpoint that a page needs but this one.
    if (isRegistration && context.method === 'OPTIONS') {
      context.status = 204
      context.set('access-control-allow-origin', '*')
      context.set('access-control-allow-headers', 'content-type')
      return
    }
    const { failNextToken } = settings
    if (context.path === '/token' && context.method === 'POST' && failNextToken) {
      delete settings.failNextToken
      context.set('access-control-allow-origin', '*')
      context.status = failNextToken === 'temporarily_unavailable' ? 503 : 400
      context.body = { error: failNextToken, error_description: 'as the test wanted it' }
      note({ ...base(context), what: 'token', details: { error: failNextToken } })
      return
    }
    await next()
    if (context.path === '/token' && settings.toldTtlSeconds && context.status === 200)
      Object.assign(context.body as object, { expires_in: settings.toldTtlSeconds })
    if (isRegistration) context.set('access-control-allow-origin', '*')
    const { oidc } = context
    const sent = { ...(oidc.body as object | undefined), ...(context.method === 'GET' ? context.query : {}) }
    const answered = typeof context.body === 'object' && !(context.body instanceof Buffer) ? context.body : undefined
    const location = context.response.get('location')
    const led = location ? Object.fromEntries(new URL(location, 'http://localhost').searchParams) : {}
    const details = {
      ...takeSecrets(sent),
      ...takeSecrets(oidc.route === 'discovery' ? {} : { ...(answered as object | undefined) }),
      ...takeSecrets(led),
    }
    const basic = /^Basic (.+)$/.exec(context.get('authorization'))?.[1]
    if (basic) {
      const [, secret] = Buffer.from(basic, 'base64').toString().split(':')
      takeSecrets({ client_secret: decodeURIComponent(secret ?? '') })
    }
    note({
      ...base(context),
      what: oidc.route ?? context.path,
      details: { ...details, ...(context.get('dpop') && { proof: 'dpop' }), ...(basic && { authentication: 'basic' }) },
    })
  }
}

function base({ method, status }: KoaContextWithOIDC) {
  return { party: 'authorization-server' as const, httpMethod: method, status }
}
