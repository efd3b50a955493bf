import type { Caller, Gateway } from './options.js'
import { Refusal } from './refusal.js'

/**
 * Who calls.
 *
 * @throws {Refusal} 401 with a challenge; 500 when the app's function throws, or gives a caller without an id: two
 *   callers without one would share their sessions.
 * @see {@link https://www.rfc-editor.org/rfc/rfc6750#section-3}
 */
export async function authenticate<E>(gateway: Gateway<E>, request: Request, env: E): Promise<Caller> {
  let caller: Caller | undefined
  try {
    caller = await gateway.authenticate(request, env)
    if (caller && (typeof caller.id !== 'string' || caller.id === ''))
      throw new TypeError('"authenticate" must give a caller with an "id" that is a string and not empty')
  } catch (error) {
    gateway.report({ type: 'failed', in: 'authenticate', error })
    throw new Refusal(500, 'ERR_GATEWAY_INTERNAL', 'The gateway could not authenticate the request; its log says why')
  }
  if (caller) return caller
  const refused = request.headers.has('authorization')
  throw new Refusal(
    401,
    'ERR_GATEWAY_UNAUTHENTICATED',
    refused ? 'The gateway does not accept these credentials' : 'The gateway wants credentials',
    {
      headers: { 'www-authenticate': `Bearer realm="${gateway.publicUrl}"${refused ? ', error="invalid_token"' : ''}` },
    },
  )
}
