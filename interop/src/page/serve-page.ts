import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { type ScriptedServer, startScriptedServer } from '@x/testkit'
import { build } from 'esbuild'

const document = '<!doctype html><title>interop</title><script type="module" src="/page.js"></script>'

/** Bundles the page and its worker file, as an app does, and serves them. */
export async function servePage(): Promise<ScriptedServer> {
  const { outputFiles } = await build({
    entryPoints: ['page', 'mcp-worker'].map((name) => fileURLToPath(new URL(`./${name}.ts`, import.meta.url))),
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
    if (pathname !== '/' && script === undefined) return new Response('no such file', { status: 404 })
    const type = script === undefined ? 'text/html' : 'text/javascript'
    return new Response(script ?? document, { headers: { 'content-type': `${type}; charset=utf-8` } })
  })
}
