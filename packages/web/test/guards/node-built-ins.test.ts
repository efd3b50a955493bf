import { readFileSync } from 'node:fs'
import { builtinModules } from 'node:module'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, type Plugin } from 'esbuild'
import { expect, test } from 'vitest'

const packages = fileURLToPath(new URL('../../..', import.meta.url))
const builtIn = new RegExp(`^(node:.*|${builtinModules.join('|').replaceAll('.', '\\.')})$`)

/** Every way into a package, as its `exports` give it. */
function entriesOf(name: string): string[] {
  const manifest = path.join(packages, name, 'package.json')
  const { exports } = JSON.parse(readFileSync(manifest, 'utf8')) as { exports: Record<string, { default?: string }> }
  return Object.values(exports).flatMap((target) => (target.default ? [path.join(packages, name, target.default)] : []))
}

/** What is there for Node alone. */
const ofNode = ['core/dist/stdio.js']
const entries = ['core', 'web', 'edge']
  .flatMap(entriesOf)
  .map((file) => path.relative(packages, file))
  .filter((file) => !ofNode.includes(file))

// Conditions in the order of a bundler for Workers; a browser's bundler takes the last.
test.each(entries)('%s reaches no built-in module of Node', async (entry) => {
  for (const conditions of [['workerd', 'worker', 'browser'], ['browser'], []]) {
    const found: string[] = []
    const { metafile } = await build({
      entryPoints: [path.join(packages, entry)],
      bundle: true,
      write: false,
      metafile: true,
      format: 'esm',
      platform: 'browser',
      conditions,
      mainFields: ['browser', 'module', 'main'],
      outdir: packages,
      logLevel: 'silent',
      plugins: [recordBuiltIns(found)],
    })
    expect(Object.keys(metafile.inputs).length).toBeGreaterThan(0)
    expect(found, `with the conditions ${conditions}`).toEqual([])
  }
})

function recordBuiltIns(found: string[]): Plugin {
  return {
    name: 'record-built-ins',
    setup(builder) {
      builder.onResolve({ filter: builtIn }, ({ path: name, importer }) => {
        found.push(`${path.relative(packages, importer)} imports ${name}`)
        return { path: name, external: true }
      })
    },
  }
}
