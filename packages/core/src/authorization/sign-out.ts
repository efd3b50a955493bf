import type { Runtime } from '../config.js'
import { createGrants, type Grant } from './grants.js'
import { revokeTokens } from './revocation.js'
import { createTokenSource } from './token-source.js'
import { createGuardedFetch } from './url-guard.js'

/**
 * Forgets the tokens of one server, or of all, and tells their authorization servers, which nobody waits for.
 *
 * @param server - Its name, or its URL.
 */
export async function forgetTokens(
  { fetch, tokenStore: store, now, setTimer }: Pick<Runtime, 'fetch' | 'tokenStore' | 'now' | 'setTimer'>,
  server: string | undefined,
): Promise<void> {
  const grants = createGrants(store)
  const isMeant = ({ server: name, serverUrl }: Grant) => [undefined, name, serverUrl].includes(server)

  async function forget(key: string, { serverUrl, discovered, client }: Grant): Promise<void> {
    const renew = () => Promise.reject(new Error('nothing is renewed here'))
    const tokens = await createTokenSource({ store, key, renew, now, setTimer }).clear()
    await grants.delete(key)
    if (!tokens || !client) return
    const guarded = createGuardedFetch({ fetch, serverUrl, configured: [discovered.issuer], setTimer })
    void revokeTokens(tokens, { server: discovered, client, fetch: guarded, now })
  }

  const meant = (await grants.all()).filter(([, grant]) => isMeant(grant))
  await Promise.all(meant.map(([key, grant]) => forget(key, grant)))
}
