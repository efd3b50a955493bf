import type { ErrorCode, ErrorData } from '@x/web'
import { isBehindGateway } from '../../store/gateway-url.js'

interface Advice {
  title: string
  /** What to try, most likely first. */
  steps: string[]
}

const byCode: Record<ErrorCode, Advice> = {
  ERR_MCP_CONFIG: {
    title: 'The settings can’t be used',
    steps: ['Correct the field that the message names, and connect again.'],
  },
  ERR_MCP_CONNECT: {
    title: 'No MCP server answered there',
    steps: [
      'Check that the URL is the MCP endpoint itself; it often ends in /mcp.',
      'Check that the server is running, and that this browser can reach it.',
    ],
  },
  ERR_MCP_CORS: {
    title: 'The browser blocked the request',
    steps: [
      'Let the server send the response header that the message names, also on errors and on OPTIONS requests.',
      'If the server isn’t running at all, a browser says the same: check that first.',
    ],
  },
  ERR_MCP_HTTP: {
    title: 'The server answered with an unexpected status',
    steps: ['Look into the server’s log for the reason.', 'Check that the URL is the MCP endpoint itself.'],
  },
  ERR_MCP_JSONRPC: {
    title: 'The server refused the request',
    steps: ['The message is the server’s own. Check the arguments against the tool’s input schema.'],
  },
  ERR_MCP_INVALID_RESPONSE: {
    title: 'The answer was no valid MCP message',
    steps: [
      'Check that the URL is the MCP endpoint itself, not a page of the same site.',
      'If it is, the server breaks the protocol where the message says.',
    ],
  },
  ERR_MCP_TOO_LARGE: {
    title: 'The response was too large',
    steps: ['Raise “Largest response” under Limits and connect again, or ask the tool for less.'],
  },
  ERR_MCP_TIMEOUT: {
    title: 'The server took too long',
    steps: ['Try again. If it happens each time, look into the server’s log for what it waits for.'],
  },
  ERR_MCP_DISCONNECTED: { title: 'The connection is gone', steps: ['Connect again.'] },
  ERR_MCP_OUTCOME_UNKNOWN: {
    title: 'The reply was lost',
    steps: ['The tool may have run. Check its effect before you call it again.'],
  },
  ERR_MCP_PROTOCOL_VERSION: {
    title: 'No protocol revision in common',
    steps: ['Update the server: it speaks none of the revisions that this client does.'],
  },
  ERR_MCP_UNAUTHORIZED: {
    title: 'The server wants other credentials',
    steps: ['Choose “Bearer token” or “API key”, enter credentials that are still valid, and connect again.'],
  },
  ERR_MCP_AUTHORIZATION: {
    title: 'Signing in failed',
    steps: ['Try again, and read what the authorization server says.'],
  },
  ERR_MCP_INPUT_REQUIRED: {
    title: 'The tool asks for input',
    steps: ['This page answers no such questions. Call the tool from an app that does.'],
  },
  ERR_MCP_DENIED: { title: 'The call was not allowed', steps: ['The tool did not run.'] },
  ERR_MCP_TOOL: { title: 'The tool reports an error', steps: ['The message is the tool’s own.'] },
  ERR_MCP_TOOL_NAME: { title: 'There is no such tool', steps: ['The server’s list may have changed; connect again.'] },
  ERR_MCP_HOST: {
    title: 'The page’s worker failed',
    steps: ['Reload the page. If it happens again, the browser’s console says why.'],
  },
}

const staleToken: Advice = {
  title: 'The gateway wants its token',
  steps: ['Each start has a new one: open the address that npm start printed last.'],
}

/** By what a gateway says in the data of its errors. */
const byGatewayCode: Record<string, Advice> = {
  ERR_GATEWAY_UPSTREAM: {
    title: 'The gateway did not reach the server',
    steps: ['Check that the server is running, and what the gateway’s configuration says of it.'],
  },
  ERR_GATEWAY_TIMEOUT: {
    title: 'The server did not answer the gateway in time',
    steps: ['Look into the server’s log for what it waits for.'],
  },
  ERR_GATEWAY_NOT_FOUND: {
    title: 'The gateway has no such server',
    steps: ['Choose one of those that it was started with.'],
  },
}

const unknown: Advice = {
  title: 'Something went wrong',
  steps: ['Try again. If it happens each time, it is a fault of this page.'],
}

/**
 * A title for an error, and what a person can do about it.
 *
 * @param pageUrl - Where the page is; its own gateway takes no other credentials than the printed ones.
 */
export function adviceFor(error: ErrorData, pageUrl: string): Advice {
  if (!error.code) return unknown
  const { server = '', rpcData } = error.data ?? {}
  if (error.code === 'ERR_MCP_UNAUTHORIZED' && isBehindGateway(server, pageUrl)) return staleToken
  const byGateway = byGatewayCode[String((rpcData as { code?: unknown } | null | undefined)?.code)]
  if (byGateway) return byGateway
  const status = error.data?.status
  if (error.code !== 'ERR_MCP_HTTP' || status === undefined) return byCode[error.code]
  const [log, url] = byCode.ERR_MCP_HTTP.steps as [string, string]
  return { title: `The server answered ${status}`, steps: status < 500 ? [url, log] : [log] }
}
