/** A URL of the gateway that may run beside the page, at its origin. */
export function gatewayUrl(pageUrl: string, path: string): string {
  return new URL(`/gateway/${path}`, pageUrl).href
}

export function endpointBehindGateway(pageUrl: string, name: string): string {
  return gatewayUrl(pageUrl, `servers/${encodeURIComponent(name)}/mcp`)
}

/** Whether this is an endpoint of the page's own gateway: its token may be sent there, and nowhere else. */
export function isBehindGateway(url: string, pageUrl: string): boolean {
  return URL.canParse(url, pageUrl) && new URL(url, pageUrl).href.startsWith(gatewayUrl(pageUrl, ''))
}
