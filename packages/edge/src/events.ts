import { type ErrorCode, McpError } from '@x/core'
import type { Caller, Gateway } from './options.js'
import { Refusal } from './refusal.js'

/** What an upstream answered, or what there is not: no failure of anyone's. */
const noFailures = new Set<ErrorCode>(['ERR_MCP_JSONRPC', 'ERR_MCP_TOOL_NAME'])

export function reportRefusal<E>(
  gateway: Gateway<E>,
  { status, code, details: { server } }: Refusal,
  caller: Caller | undefined,
): void {
  gateway.report({
    type: 'refused',
    status,
    code,
    ...(caller && { caller: caller.id }),
    ...(server !== undefined && { server }),
  })
}

/** Tells of an error that ended a request of MCP, if it is one that the app's log is for. */
export function reportError<E>(gateway: Gateway<E>, error: unknown, caller: Caller): void {
  if (error instanceof Refusal) reportRefusal(gateway, error, caller)
  else if (!McpError.is(error)) gateway.report({ type: 'failed', in: 'gateway', error })
  else if (!noFailures.has(error.code)) {
    const { server } = error.data
    gateway.report({ type: 'failed', in: 'upstream', ...(server !== undefined && { server }), error })
  }
}
