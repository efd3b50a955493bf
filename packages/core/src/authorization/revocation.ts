import { postForm, type TokenRequestContext } from './token-request.js'
import type { Tokens } from './tokens.js'

/**
 * Tells the authorization server that tokens are no longer needed, where it wants to hear it. Best effort: forget the
 * tokens first, and don't wait for this.
 *
 * @returns Whether the server has taken every one back; never rejects.
 * @see {@link https://www.rfc-editor.org/rfc/rfc7009}
 */
export async function revokeTokens(tokens: Tokens, context: TokenRequestContext): Promise<boolean> {
  const { server, client } = context
  const url = server.metadata.revocation_endpoint
  if (!url || tokens.issuer !== server.issuer || tokens.clientId !== client.clientId) return false
  const revoke = async (token: string | undefined, hint: string) => {
    if (token === undefined) return true
    const fields = { token, token_type_hint: hint }
    // Only what the token endpoint grants is bound to a key.
    const { response } = await postForm('revocation', url, fields, { ...context, dpop: undefined })
    return response.ok
  }
  try {
    // One after the other: most servers end the access token with its refresh token.
    const refreshEnded = await revoke(tokens.refreshToken, 'refresh_token')
    const accessEnded = await revoke(tokens.accessToken, 'access_token')
    return refreshEnded && accessEnded
  } catch {
    return false
  }
}
