import { readFileSync } from 'node:fs'
import path from 'node:path'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { root } from './command.mjs'

// Bundled as an app would: from a package that depends on them.
const app = path.join(root, 'e2e')
const core = path.join(root, 'packages/web')

/** Gzipped bytes, with their limits; the one that the last line gives comes last. */
const sizes = [
  {
    name: "the worker, with everything in it ('@x/web/worker-bundled')",
    bytes: gzipped([readFileSync(path.join(root, 'packages/web/dist/worker-bundled.js'))]),
    // With all of OAuth and a JSON Schema validator in it: docs/decisions/0013.
    limit: 134_000,
  },
  { name: 'connect of @x/core in Node', bytes: await entryBytes("export { connect } from '@x/core'", core, 'node') },
  {
    name: 'connectAll on the page',
    bytes: await entryBytes("export { connectAll } from '@x/web'", app, 'browser'),
    limit: 14_000,
  },
  { name: '@x/web', bytes: await entryBytes("export { connect } from '@x/web'", app, 'browser'), limit: 7_000 },
]

for (const { name, bytes, limit } of sizes.slice(0, -1)) console.log(`${name}: ${kB(bytes)}${against(bytes, limit)}`)
const { name, bytes, limit } = sizes.at(-1)
console.log(`${name} ${kB(bytes)}: connect alone on the page, gzipped${against(bytes, limit)}`)
if (sizes.some((size) => size.bytes > size.limit)) process.exitCode = 1

/** What an entry loads at once: itself and what it imports statically, gzipped file by file as a server would. */
async function entryBytes(contents, resolveDir, platform) {
  const { metafile, outputFiles } = await build({
    stdin: { contents, resolveDir },
    bundle: true,
    splitting: true,
    minify: true,
    write: false,
    metafile: true,
    format: 'esm',
    target: 'es2022',
    platform,
    absWorkingDir: root,
    outdir: path.join(root, '.cache/size'),
  })
  const files = new Set()
  const add = (file) => {
    if (files.has(file)) return
    files.add(file)
    for (const imported of metafile.outputs[file].imports)
      if (imported.kind === 'import-statement' && !imported.external) add(imported.path)
  }
  add(Object.keys(metafile.outputs).find((file) => metafile.outputs[file].entryPoint === '<stdin>'))
  const loaded = outputFiles.filter((file) => files.has(path.relative(root, file.path).split(path.sep).join('/')))
  return gzipped(loaded.map((file) => file.contents))
}

function gzipped(contents) {
  return contents.reduce((sum, content) => sum + gzipSync(content, { level: 9 }).length, 0)
}

function kB(bytes) {
  return `${(bytes / 1000).toFixed(1)} kB`
}

function against(bytes, limit) {
  if (!limit) return ''
  return bytes > limit ? ` (${bytes} bytes: PAST the limit of ${kB(limit)})` : ` (limit ${kB(limit)})`
}
