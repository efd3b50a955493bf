import type { Caller } from '@x/edge'
import { verify } from 'hono/jwt'

export interface Env {
  PUBLIC_URL: string
  PAGE_ORIGIN: string
  SESSION_SECRET: string
  JWT_SECRET: string
  NOTES_TOKEN: string
}

/** The user whose token this is: a JWT that the chat app's own server signed for its page. */
export async function verifyUser(request: Request, env: Env): Promise<Caller | undefined> {
  const token = /^Bearer (\S+)$/.exec(request.headers.get('authorization') ?? '')?.[1]
  if (token === undefined) return undefined
  try {
    const { sub } = await verify(token, env.JWT_SECRET, 'HS256')
    return typeof sub === 'string' ? { id: sub } : undefined
  } catch {
    // Expired, or signed by someone else.
    return undefined
  }
}
