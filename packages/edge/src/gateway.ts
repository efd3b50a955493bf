import { type Context, Hono } from 'hono'
import { authenticate } from './authentication.js'
import { checkOptions } from './check-options.js'
import { answerPreflight, refuseForeignOrigin, withCors } from './cors.js'
import { reportRefusal } from './events.js'
import type { Exchange } from './exchange.js'
import { answerMcp } from './mcp-route.js'
import type { Caller, Gateway, GatewayOptions } from './options.js'
import { passThrough } from './passthrough-route.js'
import { Refusal, toResponse } from './refusal.js'
import { notFound, refuseQuery } from './url-policy.js'

/**
 * A gateway in front of fixed MCP servers: `/mcp` is one MCP server with the tools of all, named `<server>__<tool>`;
 * `/servers/<name>/mcp` passes one server through. Browsers of the given origins may call; credentials of the servers
 * stay here, and those of the callers go no further.
 *
 * The result is a Hono app: a Worker's default export as it is, or mounted with `app.route('/path', gateway)`.
 *
 * @param options - Checked at once; or a function of the Worker's `env`, called for each request.
 * @throws {ConfigError} `ERR_MCP_CONFIG`; `data.key` names the wrong option. Of a function's options: answered with 500.
 */
export function createGateway<E extends object>(
  options: GatewayOptions<E> | ((env: E) => GatewayOptions<E>),
): Hono<{ Bindings: E }> {
  const fixed = typeof options === 'function' ? undefined : checkOptions(options)
  const optionsFor = (env: E) => fixed ?? checkOptions((options as (env: E) => GatewayOptions<E>)(env))
  const app = new Hono<{ Bindings: E }>()

  const route = (answer: (exchange: Exchange) => Promise<Response>) => {
    return async (context: Context<{ Bindings: E }>): Promise<Response> => {
      const request = context.req.raw
      let gateway: Gateway<E>
      try {
        gateway = optionsFor(context.env)
      } catch (error) {
        console.error('The gateway: its options are wrong:', error)
        return toResponse(internal('The gateway is not configured; its log says why'))
      }
      const respond = async (): Promise<Response> => {
        let caller: Caller | undefined
        try {
          refuseForeignOrigin(request, gateway.origins)
          const preflight = answerPreflight(request)
          if (preflight) return preflight
          caller = await authenticate(gateway, request, context.env)
          refuseQuery(request)
          const name = context.req.param('name') ?? ''
          return await answer({ request, caller, gateway, name, waitUntil: waitUntilOf(context) })
        } catch (error) {
          return toResponse(asRefusal(error, gateway, caller))
        }
      }
      return withCors(await respond(), request, gateway.origins)
    }
  }

  app.all('/mcp', route(answerMcp))
  app.all('/servers/:name/mcp', route(passThrough))
  const nothing = route(async ({ gateway }) => {
    throw notFound(gateway.publicUrl)
  })
  // Where it is mounted in another app, that app's own notFound would answer: without CORS headers.
  app.all('/servers/*', nothing)
  app.notFound(nothing)
  return app
}

function asRefusal<E>(error: unknown, gateway: Gateway<E>, caller: Caller | undefined): Refusal {
  const known = error instanceof Refusal
  if (!known) gateway.report({ type: 'failed', in: 'gateway', error })
  const refusal = known ? error : internal('The gateway failed; its log says why')
  reportRefusal(gateway, refusal, caller)
  return refusal
}

const internal = (message: string) => new Refusal(500, 'ERR_GATEWAY_INTERNAL', message)

function waitUntilOf<E extends object>(context: Context<{ Bindings: E }>): (work: Promise<unknown>) => void {
  try {
    const { executionCtx } = context
    return (work) => executionCtx.waitUntil(work)
  } catch {
    // Not in a Worker: nothing is stopped when the response has ended.
    return () => {}
  }
}
