import { createGateway, type GatewayOptions } from '../../src/index.js'

/** A gateway's options as data, with rules in the place of its functions. */
export interface WorkerOptions
  extends Pick<GatewayOptions, 'publicUrl' | 'servers' | 'origins' | 'onFailure' | 'limits'> {
  secret: string
  /** Bearer tokens and whose they are. The token `explode` makes `authenticate` throw. */
  callers: Record<string, string>
  /** Refused calls, `caller server method tool`; a `*` stands for any. Absent: there is no `authorize`. */
  forbidden?: string[]
  /** Servers that are reached by the binding SERVICE. */
  bound?: string[]
}

export interface Env {
  OPTIONS: WorkerOptions
  SERVICE: { fetch: typeof fetch }
}

export default createGateway<Env>(({ OPTIONS, SERVICE }) => {
  const { callers, forbidden, bound = [], servers, ...options } = OPTIONS
  return {
    ...options,
    servers: Object.fromEntries(
      Object.entries(servers).map(([name, server]) => [
        name,
        bound.includes(name) ? { ...server, fetch: (...args) => SERVICE.fetch(...args) } : server,
      ]),
    ),
    async authenticate(request) {
      const token = /^Bearer (.+)$/.exec(request.headers.get('authorization') ?? '')?.[1]
      if (token === 'explode') throw new Error('the database of callers is at db.internal:5432')
      const id = token !== undefined && Object.hasOwn(callers, token) ? callers[token] : undefined
      return id === undefined ? undefined : { id }
    },
    ...(forbidden && {
      async authorize(caller, { server, method, tool = '' }) {
        const call = [caller.id, server, method, tool]
        return !forbidden.some((rule) => rule.split(' ').every((part, index) => part === '*' || part === call[index]))
      },
    }),
  }
})
