import './theme/tokens.css'
import './theme/base.css'
import './ui/controls.css'
import { CSPProvider } from '@base-ui/react/csp-provider'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { takeToken } from './gateway-token.js'
import { host } from './host.js'
import { recall, remember } from './store/memory.js'
import { createPlaygroundStore } from './store/playground-store.js'
import { initialSettings } from './store/settings.js'
import { applyTheme, rememberedTheme } from './theme/theme.js'
import { App } from './views/app.js'
import { StoreContext } from './views/use-store.js'

applyTheme(rememberedTheme())

// First, so that no URL below is made with it.
const token = takeToken(window)

const store = createPlaygroundStore(
  {
    connect: (config, options) => host.connect(config, options),
    pageUrl: location.href,
    fetch: (...args) => fetch(...args),
    rememberUrl: (url) => remember('url', url),
    now: Date.now,
  },
  initialSettings(location.search, recall('url'), location.href),
  new URLSearchParams(location.search).get('tool') ?? undefined,
)

function openGateway(token: string | undefined): void {
  if (token !== undefined) void store.actions.openGateway(token)
}
openGateway(token)
// Pasting the printed address into a page that is open already changes the fragment alone: nothing is loaded.
addEventListener('hashchange', () => openGateway(takeToken(window)))

createRoot(document.getElementById('root') as HTMLElement).render(
  <StrictMode>
    <CSPProvider disableStyleElements>
      <StoreContext value={store}>
        <App />
      </StoreContext>
    </CSPProvider>
  </StrictMode>,
)
