import type { TransportOptions } from './http-transport.js'
import { isRequest, type JsonRpcMessage } from './json-rpc.js'

/** The server's own requests: bounded while they are open, and given up together with the request that they came with. */
export interface Questions {
  /** Takes what is no reply. @param during - The request on whose stream it came. */
  receive(message: JsonRpcMessage, during?: JsonRpcMessage): void
  /** The answer was sent, or could not be. */
  end(id: JsonRpcMessage['id']): void
  /** The client gave up this request: nobody waits for answers to what was asked for its sake. */
  giveUp(request: unknown): void
}

/** Requests that may wait for their answers at once: each costs a POST, and may open a dialogue. */
const maxOpen = 100

/** @param deliver - Hands a message to the engine. */
export function createQuestions(
  deliver: (message: JsonRpcMessage) => void,
  { onRequest = (request) => request, report }: TransportOptions,
): Questions {
  /** By id; with it, the id of the request that it came with. */
  const open = new Map<JsonRpcMessage['id'], JsonRpcMessage['id']>()
  let flooded = false

  function begin({ id }: JsonRpcMessage, during: JsonRpcMessage | undefined): boolean {
    // Two of one id can't be told apart by their answers.
    if (open.has(id)) return false
    if (open.size >= maxOpen) {
      if (!flooded)
        report?.({
          code: 'question-refused',
          message: `The server has ${maxOpen} requests open and asks for more; these are not heard until it has answers`,
        })
      flooded = true
      return false
    }
    flooded = false
    open.set(id, during?.id)
    return true
  }

  return {
    receive(message, during) {
      if (message.method === 'notifications/cancelled') open.delete(message.params?.requestId as JsonRpcMessage['id'])
      if (!isRequest(message)) deliver(message)
      else if (begin(message, during)) deliver(onRequest(message, during))
    },
    end: (id) => void open.delete(id),
    giveUp(request) {
      for (const [id, during] of open) {
        if (during === undefined || during !== request) continue
        open.delete(id)
        // By this the engine drops the answer.
        deliver({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id } })
      }
    },
  }
}
