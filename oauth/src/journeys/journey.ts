import type { OauthServerOptions } from '../start-server.js'
import type { Stage } from './stage.js'

/** A way of a person, or of a machine, from nothing to a tool's result. */
export interface Journey {
  name: string
  server?: Pick<OauthServerOptions, 'dpop' | 'jwt'>
  run(stage: Stage, credentials: Credentials): Promise<void>
}

/** What somebody has registered at the authorization server before. */
export interface Credentials {
  /** Of the clients `app` (for people) and `machine`. */
  clientSecret: string
  /** Of the client `signing-machine`. */
  privateKeyJwk: JsonWebKey
}
