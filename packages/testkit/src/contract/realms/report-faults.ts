// workerd keeps silent about what nobody catches. Loaded before anything that could fail.
addEventListener('error', ({ error }) => console.error('uncaught:', error))
addEventListener('unhandledrejection', ({ reason }) => console.error('unhandled:', reason))
