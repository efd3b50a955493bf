import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { type ScriptedServer, startScriptedServer } from '@x/testkit'
import { build } from 'esbuild'

/** By path; `/callback` is where an authorization server leads back to. */
const documents = new Map(
  Object.entries({ '/': 'page', '/callback': 'callback' }).map(([path, name]) => [
    path,
    `<!doctype html><title>oauth</title><script type="module" src="/${name}.js"></script>`,
  ]),
)

/** Bundles the page and its worker file, as an app does, and serves them. */
export async function servePage(): Promise<ScriptedServer> {
  const { outputFiles } = await build({
    entryPoints: ['page', 'callback', 'mcp-worker'].map((name) =>
      fileURLToPath(new URL(`./${name}.ts`, import.meta.url)),
    ),
    outdir: '/',
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    logLevel: 'silent',
  })
  const files = new Map(outputFiles.map((file) => [`/${path.basename(file.path)}`, file.text]))
  return startScriptedServer((request) => {
    const { pathname } = new URL(request.url)
    const script = files.get(pathname)
    const content = script ?? documents.get(pathname)
    if (content === undefined) return new Response('no such file', { status: 404 })
    const type = script === undefined ? 'text/html' : 'text/javascript'
    return new Response(content, { headers: { 'content-type': `${type}; charset=utf-8` } })
  })
}
