import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'
import { demoServer } from './demo/vite-plugin.js'

/** What the built page may do. Any MCP server may be connected to; no code or style but the page's own files runs. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' blob: data:",
  'media-src blob: data:',
  'connect-src *',
  "worker-src 'self'",
  "font-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
].join('; ')

// Vite's development client puts its own inline script and style elements into the page.
const developmentPolicy = policy
  .replace("script-src 'self'", "script-src 'self' 'unsafe-inline'")
  .replace("style-src 'self'", "style-src 'self' 'unsafe-inline'")

/** Writes the policy into the built page as well, so that plain static hosting has it. */
function policyInPage(): Plugin {
  return {
    name: 'playground:policy-in-page',
    apply: 'build',
    transformIndexHtml: () => [
      {
        tag: 'meta',
        attrs: { 'http-equiv': 'Content-Security-Policy', content: policy },
        injectTo: 'head-prepend',
      },
    ],
  }
}

const commonHeaders = { 'X-Content-Type-Options': 'nosniff', 'Referrer-Policy': 'no-referrer' }

export default defineConfig({
  // Relative, so that the built page can be served from any folder.
  base: './',
  plugins: [react(), policyInPage(), demoServer()],
  worker: { format: 'es' },
  // The worker too: what is found only when it starts makes the page reload in the middle of the first connection.
  optimizeDeps: { entries: ['index.html', 'src/mcp-worker.ts'] },
  build: { target: 'es2023', assetsInlineLimit: 0, chunkSizeWarningLimit: 700 },
  server: { headers: { ...commonHeaders, 'Content-Security-Policy': developmentPolicy } },
  preview: { headers: { ...commonHeaders, 'Content-Security-Policy': `${policy}; frame-ancestors 'none'` } },
})
