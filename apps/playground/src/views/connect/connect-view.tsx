import { FlaskConical } from 'lucide-react'
import { demoUrl } from '../../store/settings.js'
import { ErrorCard } from '../errors/error-card.js'
import { useActions, usePlayground } from '../use-store.js'
import { ConnectForm } from './connect-form.js'
import './connect.css'
import { GatewayBox } from './gateway-box.js'
import { GatewayHint } from './gateway-hint.js'

/** The page while nothing is connected. */
export function ConnectView() {
  const connection = usePlayground((state) => state.connection)
  const { connectToDemo } = useActions()
  return (
    <main className="connect">
      <div className="connect-head">
        <h1>Test an MCP server from your browser</h1>
        <p>
          Paste the URL of an MCP endpoint to see its tools, resources and prompts, call them, and see what a model
          would be shown. Requests go straight from this page’s worker to the server, with nothing in between.
        </p>
      </div>
      <ConnectForm />
      {connection.phase === 'failed' && (
        <ErrorCard error={connection.error} title="Could not connect">
          {connection.error.code === 'ERR_MCP_CORS' && <GatewayHint url={connection.url} />}
        </ErrorCard>
      )}
      <GatewayBox />
      <div className="connect-box">
        <FlaskConical size={20} aria-hidden />
        <p>
          No server at hand? The demo server has a tool for every kind of result.
          <br />
          <span className="mono">{demoUrl(location.href)}</span>
        </p>
        <button
          type="button"
          className="button"
          disabled={connection.phase === 'connecting'}
          onClick={() => void connectToDemo()}
        >
          Connect to the demo server
        </button>
      </div>
    </main>
  )
}
