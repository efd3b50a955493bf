import { build } from 'esbuild'

const folder = new URL('..', import.meta.url).pathname

/**
 * Scripts for a page, by path: entries bundled as an app would, with what they load later.
 *
 * @param entries - Source text by name; `/name.js` is where it will be.
 */
export async function bundle(entries: Record<string, string>): Promise<Map<string, string>> {
  const { outputFiles } = await build({
    entryPoints: Object.keys(entries).map((name) => ({ in: `entry:${name}`, out: name })),
    bundle: true,
    splitting: true,
    write: false,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    outdir: '/',
    plugins: [
      {
        name: 'entries',
        setup({ onResolve, onLoad }) {
          onResolve({ filter: /^entry:/ }, ({ path }) => ({ path: path.slice(6), namespace: 'entry' }))
          onLoad({ filter: /.*/, namespace: 'entry' }, ({ path }) => ({ contents: entries[path]!, resolveDir: folder }))
        },
      },
    ],
  })
  return new Map(outputFiles.map(({ path, text }) => [path, text]))
}
