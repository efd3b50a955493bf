import { Waypoints } from 'lucide-react'
import { Field } from '../../ui/field.js'
import { useActions, usePlayground } from '../use-store.js'

/** The servers behind the gateway that `npm start` runs beside the page. */
export function GatewayBox() {
  const gateway = usePlayground((state) => state.gateway)
  const connecting = usePlayground((state) => state.connection.phase === 'connecting')
  const { chooseBehindGateway, connectThroughGateway } = useActions()
  if (gateway.status === 'opening') return null
  if (gateway.status !== 'ready')
    return (
      <p className="connect-note" data-testid="gateway" data-status={gateway.status}>
        {gateway.status === 'failed' ? (
          gateway.reason
        ) : (
          <>
            To use the gateway for servers without CORS, open the address that <code>npm start</code> printed.
          </>
        )}
      </p>
    )
  return (
    <div className="connect-box" data-testid="gateway" data-status="ready">
      <Waypoints size={20} aria-hidden />
      <p>
        A server without CORS headers? The gateway beside this page reaches it.
        <br />
        Your own in a file: <span className="mono">npm start -- --config mcp.json</span>
      </p>
      <div className="connect-choice">
        <Field label="Through the gateway">
          {(control) => (
            <select
              {...control}
              className="input"
              value={gateway.chosen}
              onChange={({ target }) => chooseBehindGateway(target.value)}
            >
              {gateway.servers.map(({ name, title }) => (
                <option key={name} value={name}>
                  {name} · {title}
                </option>
              ))}
            </select>
          )}
        </Field>
        <button type="button" className="button" disabled={connecting} onClick={() => void connectThroughGateway()}>
          Connect through the gateway
        </button>
      </div>
    </div>
  )
}
