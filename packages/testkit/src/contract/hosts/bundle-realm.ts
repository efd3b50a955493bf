import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

/** A file of `realms/` with all that it imports, as one script: `esm` for a browser, `cjs` for a thread. */
export async function bundleRealm(name: string, format: 'esm' | 'cjs'): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL(`../realms/${name}.ts`, import.meta.url))],
    bundle: true,
    write: false,
    format,
    platform: 'browser',
    target: 'es2022',
    external: ['node:worker_threads'],
  })
  return outputFiles[0]!.text
}
