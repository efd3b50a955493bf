import { usePlayground } from '../use-store.js'
import { ServerOverview } from './server-overview.js'

/** The server's own words, while no tool is chosen. */
export function ServerIntro() {
  const connection = usePlayground((state) => state.connection)
  if (connection.phase !== 'open') return null
  const { server } = connection.state
  return (
    <div className="server-intro">
      <h2>{server?.title ?? server?.name ?? 'Connected'}</h2>
      <p className="field-hint">Choose a tool to see its form and call it.</p>
      <ServerOverview url={connection.url} state={connection.state} />
    </div>
  )
}
