import { untilAborted } from '../abort.js'
import type { Endpoint, Incoming } from './endpoint.js'
import type { TestFault } from './faults.js'
import { errorResponse, RpcError } from './rpc.js'
import { overTheWire } from './wire-body.js'

/**
 * What the client gets of an endpoint's answer.
 *
 * @throws {TypeError} Where the network fails, as `fetch` does.
 * @throws The signal's reason, once the client has left.
 */
export async function answerWith(endpoint: Endpoint, incoming: Incoming, fault?: TestFault): Promise<Response> {
  const { message, request, signal } = incoming
  const reply = async () => untilAborted(signal, Promise.resolve(endpoint.answer(incoming)))
  const whole = async () => overTheWire(await reply(), signal)
  switch (fault?.type) {
    case undefined:
      return whole()
    case 'status': {
      const { status, headers, body = null } = fault
      return new Response(body, { status, ...(headers && { headers }) })
    }
    case 'error':
      return errorResponse(200, new RpcError(fault.code, fault.message, fault.data), message.id)
    case 'network':
      if (fault.ran) await (await reply()).body?.cancel()
      throw new TypeError('fetch failed')
    case 'cut':
      return overTheWire(await reply(), signal, fault)
    case 'delay': {
      // However it is settled: it only says when.
      const held = untilAborted(signal, Promise.allSettled([fault.until]))
      if (!fault.ran) await held
      const response = await whole()
      await held
      return response
    }
    case 'expired-session':
      endpoint.forget(request.session ?? '')
      return whole()
    case 'malformed-tool':
      return withTool(await reply(), fault.tool)
  }
}

async function withTool(
  response: Response,
  tool: unknown = { description: 'A tool without a name' },
): Promise<Response> {
  const message = await response.json()
  message.result?.tools?.push(tool)
  return Response.json(message, { status: response.status })
}
