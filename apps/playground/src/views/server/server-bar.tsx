import { Link, Unplug } from 'lucide-react'
import { useState } from 'react'
import { shareLink } from '../../store/settings.js'
import { useActions, usePlayground } from '../use-store.js'
import './server.css'
import { ServerDialog } from './server-dialog.js'

/** The connected server in one line. */
export function ServerBar() {
  const connection = usePlayground((state) => state.connection)
  const findings = usePlayground((state) => state.events.filter((entry) => entry.event.type === 'finding').length)
  const { disconnect, show } = useActions()
  if (connection.phase !== 'open') return null
  const { state, url } = connection
  const { server, status } = state
  return (
    <>
      <div className="server-bar" data-testid="server" data-status={status}>
        <span className={`server-status ${status}`} role="status">
          <span className="visually-hidden">Status: </span>
          {status}
        </span>
        <strong className="server-name">{server?.title ?? server?.name ?? new URL(url).host}</strong>
        {server && (
          <>
            <span className="badge">{server.version}</span>
            <span className="badge accent" data-testid="revision">
              {server.protocolVersion} · {server.era}
            </span>
            <span className="badge">{server.transport}</span>
          </>
        )}
        {findings > 0 && (
          <button type="button" className="badge warn finding-count" onClick={() => show('events')}>
            {findings === 1 ? '1 finding' : `${findings} findings`}
          </button>
        )}
      </div>
      <div className="server-actions">
        <ServerDialog url={url} state={state} />
        <LinkButton />
        <button type="button" className="button small" onClick={disconnect}>
          <Unplug size={14} aria-hidden /> <span className="server-action">Disconnect</span>
        </button>
      </div>
    </>
  )
}

function LinkButton() {
  const settings = usePlayground((state) => state.settings)
  const tool = usePlayground((state) => state.selection.tools)
  const [copied, setCopied] = useState(false)
  const copy = async () => {
    await navigator.clipboard?.writeText(shareLink(settings, location.href, tool)).then(
      () => setCopied(true),
      () => setCopied(false),
    )
  }
  return (
    <button
      type="button"
      className="button small"
      title="A link to this page that fills in this server, without credentials"
      onBlur={() => setCopied(false)}
      onClick={copy}
    >
      <Link size={14} aria-hidden />
      <span className="server-action" aria-live="polite">
        {copied ? 'Link copied' : 'Copy link'}
      </span>
    </button>
  )
}
