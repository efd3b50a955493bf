import { randomBytes } from 'node:crypto'
import { createMcpHandler, createRequestStateCodec, type McpHttpHandler } from '@modelcontextprotocol/server'
import type { DemoServerOptions } from './events.js'
import { createModernServer } from './modern-server.js'
import type { Answer, ExtraTool } from './tool.js'

const MAX_SUBSCRIPTIONS = 64

/** Serves revision 2026-07-28; whether the extra tool is in the list is one for the process, as there are no sessions. */
export function createModernEndpoint({ onEvent }: DemoServerOptions): McpHttpHandler {
  // The answers travel through the client, which must not be able to change them.
  const answers = createRequestStateCodec<Record<string, Answer>>({ key: randomBytes(32) })
  let offered = false
  const extraTool: ExtraTool = {
    get offered() {
      return offered
    },
    offer(value) {
      offered = value
      handler.notify.toolsChanged()
    },
  }
  const handler = createMcpHandler(() => createModernServer({ extraTool, answers, onEvent }), {
    legacy: 'reject',
    maxSubscriptions: MAX_SUBSCRIPTIONS,
    onerror: ({ message }) => onEvent?.({ type: 'error', era: 'modern', message }),
  })
  return handler
}
