// 1. The worker with everything in it, as one file that imports nothing. 2. The library, with that file's text in it.
import { readFile, rm } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'tsdown'

const common = {
  format: 'esm',
  platform: 'browser',
  target: 'es2022',
  clean: false,
  outExtensions: () => ({ js: '.js', dts: '.d.ts' }),
  logLevel: 'warn',
}
await rm('dist', { recursive: true, force: true })

await build({
  ...common,
  entry: { 'worker-bundled': 'src/worker.ts' },
  dts: false,
  minify: true,
  deps: { alwaysBundle: [/.*/], onlyBundle: false },
  outputOptions: { codeSplitting: false },
  // The engine's own JSON Schema validator is never used, and in a Blob worker its first line throws.
  alias: { '@modelcontextprotocol/client/_shims': fileURLToPath(new URL('./src/engine-shims.ts', import.meta.url)) },
  plugins: [withoutJsonSchemas(), withMendedValidator()],
})
const source = await readFile('dist/worker-bundled.js', 'utf8')
if (source.includes('initialBaseURI'))
  throw new Error("the engine's validator is in the worker again: look at the alias")

await build({
  ...common,
  entry: {
    index: 'src/index.ts',
    'ai-sdk': 'src/ai-sdk.ts',
    anthropic: 'src/anthropic.ts',
    google: 'src/google.ts',
    openai: 'src/openai.ts',
    serve: 'src/serve.ts',
    worker: 'src/worker.ts',
  },
  dts: true,
  sourcemap: true,
  plugins: [
    {
      name: 'worker-source',
      resolveId: (id) => (id === 'virtual:worker-source' ? `\0${id}` : null),
      load: (id) => (id === '\0virtual:worker-source' ? `export default ${JSON.stringify(source)}` : null),
    },
  ],
})

/** zod's writing of JSON Schemas, which nothing here asks for and every schema of zod's holds on to: 5 kB, gzipped. */
function withoutJsonSchemas() {
  return {
    name: 'without-json-schemas',
    load: {
      filter: { id: /zod\/v4\/core\/(json-schema-processors|to-json-schema)\.js$/ },
      async handler(id) {
        const names = [...(await readFile(id, 'utf8')).matchAll(/^export (?:const|function) (\w+)/gm)].map(
          ([, name]) => name,
        )
        if (names.length === 0) throw new Error(`${id} exports nothing any more: look at how zod is cut`)
        return names.map((name) => `export const ${name} = () => {}`).join('\n')
      },
    },
  }
}

/**
 * The JSON Schema validator, fit for a Blob: it takes its first base from where the script is, which is no URL to begin
 * with there, and throws; nothing here uses that base. Nor its formats, which are not checked: 2 kB, gzipped.
 */
function withMendedValidator() {
  const mends = {
    'dereference.js': [/(initialBaseURI =)[^;]*?self\.location[^;]*;/, "$1 new URL('https://schema.invalid/');"],
    'format.js': [/^[\s\S]*export const format = \{[\s\S]*$/, 'export const format = {};'],
  }
  const mended = new Set()
  return {
    name: 'with-mended-validator',
    load: {
      filter: { id: /@cfworker\/json-schema\/dist\/esm\/(dereference|format)\.js$/ },
      async handler(id) {
        const [text, replacement] = mends[path.basename(id)]
        const source = await readFile(id, 'utf8')
        if (!text.test(source)) throw new Error(`${id} has changed: look at how the validator is mended`)
        mended.add(id)
        return source.replace(text, replacement)
      },
    },
    buildEnd(error) {
      if (!error && mended.size < Object.keys(mends).length)
        throw new Error('The validator is not where it was mended: look at its files')
    },
  }
}
