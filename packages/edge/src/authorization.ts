import type { Exchange } from './exchange.js'
import type { GatewayCall } from './options.js'
import { Refusal } from './refusal.js'

/**
 * Whether the app lets this caller do this. Only `true` is a yes.
 *
 * @throws {Refusal} 500 when the app's function throws.
 */
export async function isAllowed({ gateway, caller }: Exchange, call: GatewayCall): Promise<boolean> {
  if (!gateway.authorize) return true
  try {
    return (await gateway.authorize(caller, call)) === true
  } catch (error) {
    gateway.report({ type: 'failed', in: 'authorize', server: call.server, error })
    throw new Refusal(500, 'ERR_GATEWAY_INTERNAL', 'The gateway could not authorize the request; its log says why', {
      server: call.server,
    })
  }
}
