import { CopyButton } from '../../ui/copy-button.js'

/** How to reach a server that CORS keeps from the page. */
export function GatewayHint({ url }: { url: string }) {
  const file = JSON.stringify({ mcpServers: { 'my-server': { url } } }, null, 2)
  return (
    <div className="gateway-hint" data-testid="gateway-hint">
      <p>
        Or reach it as it is, through the playground’s gateway. Write <code>mcp.json</code>, with the server’s
        credentials under <code>"headers"</code> if it wants any, and start with{' '}
        <code>npm start -- --config mcp.json</code>:
      </p>
      <div className="gateway-file">
        <pre>{file}</pre>
        <CopyButton label="Copy mcp.json" text={() => file} look="icon" />
      </div>
    </div>
  )
}
