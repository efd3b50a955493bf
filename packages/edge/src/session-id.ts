/** What a session belongs to. */
export interface SessionOwner {
  /** {@link Caller.id} */
  caller: string
  /** The upstream's name. */
  server: string
}

/**
 * Hands out an upstream's session id with a signature that binds it to its caller and server, and takes it back from
 * nobody else. Nothing is stored: whoever holds the secret can check an id.
 *
 * @see {@link https://modelcontextprotocol.io/specification/2025-11-25/basic/security_best_practices#session-hijacking}
 */
export function createSessionIds(secret: string) {
  const encode = (text: string) => new TextEncoder().encode(text)
  // In JSON two different owners are never the same text, whatever their names hold.
  const signed = ({ caller, server }: SessionOwner, id: string) => encode(JSON.stringify([caller, server, id]))
  const importKey = () =>
    crypto.subtle.importKey('raw', encode(secret), { name: 'HMAC', hash: 'SHA-256' }, false, ['sign', 'verify'])

  return {
    /** The id to hand out. */
    async sign(owner: SessionOwner, upstreamId: string): Promise<string> {
      const signature = await crypto.subtle.sign('HMAC', await importKey(), signed(owner, upstreamId))
      return `${upstreamId}.${toBase64Url(new Uint8Array(signature))}`
    },
    /** The upstream's id; undefined for one that was not handed out to this owner. */
    async verify(owner: SessionOwner, given: string): Promise<string | undefined> {
      const dot = given.lastIndexOf('.')
      const signature = fromBase64Url(given.slice(dot + 1))
      if (dot < 0 || !signature) return undefined
      const upstreamId = given.slice(0, dot)
      const valid = await crypto.subtle.verify('HMAC', await importKey(), signature, signed(owner, upstreamId))
      return valid ? upstreamId : undefined
    },
  }
}

function toBase64Url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replace(/\+/g, '-')
    .replace(/\//g, '_')
    .replace(/=+$/, '')
}

function fromBase64Url(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (!/^[A-Za-z0-9_-]{43}$/.test(text)) return undefined
  const binary = atob(text.replace(/-/g, '+').replace(/_/g, '/'))
  return Uint8Array.from(binary, (character) => character.charCodeAt(0))
}
