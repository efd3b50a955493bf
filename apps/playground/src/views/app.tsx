import { lazy, Suspense } from 'react'
import { ThemeToggle } from '../theme/theme-toggle.js'
import './app.css'
import { ConnectView } from './connect/connect-view.js'
import { ServerBar } from './server/server-bar.js'
import { usePlayground } from './use-store.js'

// The forms are most of the page, and nobody needs them before a server is connected.
const Sections = lazy(() => import('./sections.js').then(({ Sections }) => ({ default: Sections })))

export function App() {
  const phase = usePlayground((state) => state.connection.phase)
  return (
    <div className="app" data-testid="app" data-status={phase}>
      <header className="app-header">
        <span className="app-name">
          <img src="./favicon.svg" alt="" width="22" height="22" />
          <span>MCP playground</span>
        </span>
        {phase === 'open' && <ServerBar />}
        <ThemeToggle />
      </header>
      {phase === 'open' ? (
        <Suspense fallback={<main className="empty">Opening …</main>}>
          <Sections />
        </Suspense>
      ) : (
        <ConnectView />
      )}
    </div>
  )
}
