import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { ClientMetadata } from 'oidc-provider'
import type { Control, ControlChange } from './server/control.js'

export interface OauthServerOptions {
  /** Tokens are bound to a key, and proofs need a nonce. Default false. */
  dpop?: boolean
  /** Access tokens are JWTs. Default false. */
  jwt?: boolean
  /** Clients that somebody has registered before. */
  clients?: ClientMetadata[]
}

export interface OauthServer {
  issuer: string
  /** The MCP endpoint. */
  resource: string
  /** What the servers have been asked so far, and every secret that they gave out or were sent. */
  read(): Promise<Control>
  change(change: ControlChange): Promise<void>
  close(): Promise<void>
}

/** Starts both servers in a process of their own. */
export async function startOauthServer(options: OauthServerOptions = {}): Promise<OauthServer> {
  const script = fileURLToPath(new URL('./server/process.ts', import.meta.url))
  const child = fork(script, [JSON.stringify(options)], {
    execArgv: ['--import', 'tsx'],
    cwd: fileURLToPath(new URL('..', import.meta.url)),
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  let said = ''
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (said += chunk))
  const gone = once(child, 'exit')
  const told = await Promise.race([
    once(child, 'message').then(([message]) => message as { issuer: string; resource: string }),
    gone.then(() => undefined),
  ])
  if (!told) throw new Error(`the authorization server ended before it listened:\n${said}`)
  const control = `${told.issuer}/control`
  return {
    ...told,
    read: async () => (await (await fetch(control)).json()) as Control,
    async change(change) {
      await fetch(control, { method: 'POST', body: JSON.stringify(change) })
    },
    async close() {
      child.kill('SIGKILL')
      await gone
    },
  }
}
