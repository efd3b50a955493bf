import type { ConnectionState } from '@x/web'
import { WebLink } from '../../content/web-link.js'
import { JsonTree } from '../../json/json-tree.js'

/** All that a server says of itself, and how it was reached. */
export function ServerOverview({ url, state }: { url: string; state: ConnectionState }) {
  const { server } = state
  const facts: [string, string | undefined][] = [
    ['Endpoint', url],
    ['Name', server?.name],
    ['Version', server?.version],
    ['Protocol revision', server && `${server.protocolVersion} (${server.era})`],
    ['Transport', server?.transport],
    ['Status', state.status],
  ]
  return (
    <div className="overview">
      {server?.description && <p className="overview-text">{server.description}</p>}
      {server?.websiteUrl && (
        <p>
          <WebLink url={server.websiteUrl} />
        </p>
      )}
      <h3>Instructions</h3>
      {server?.instructions ? (
        <p className="overview-text overview-instructions">{server.instructions}</p>
      ) : (
        <p className="field-hint">The server gives none.</p>
      )}
      <h3>Connection</h3>
      <dl className="overview-facts">
        {facts.map(
          ([name, value]) =>
            value && (
              <div key={name}>
                <dt>{name}</dt>
                <dd className={name === 'Endpoint' ? 'mono' : undefined}>{value}</dd>
              </div>
            ),
        )}
      </dl>
      <h3>Capabilities</h3>
      <JsonTree value={server?.capabilities ?? {}} label="Capabilities" />
    </div>
  )
}
