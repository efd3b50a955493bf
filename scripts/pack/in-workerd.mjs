import path from 'node:path'
import { build } from 'esbuild'
import { Miniflare } from 'miniflare'
import { Failure } from '../failure.mjs'

/** Loads a Worker that imports all entries at module scope, where workerd forbids every effect, and asks it for them. */
export async function checkWorkerd(consumer, entries) {
  const imports = entries.map((entry, index) => `import * as entry${index} from '${entry}'`)
  const { outputFiles } = await build({
    stdin: {
      contents: `${imports.join('\n')}
        const entries = [${entries.map((_, index) => `entry${index}`)}]
        export default { fetch: () => Response.json(entries.map((entry) => Object.keys(entry).length)) }`,
      resolveDir: consumer,
    },
    absWorkingDir: path.resolve(consumer),
    bundle: true,
    write: false,
    format: 'esm',
    target: 'es2022',
    conditions: ['workerd', 'worker', 'browser'],
  })
  const worker = new Miniflare({
    modules: true,
    script: outputFiles[0].text,
    compatibilityDate: '2026-04-20',
    cf: false,
    telemetry: { enabled: false },
  })
  try {
    const counts = await (await worker.dispatchFetch('http://worker/')).json()
    const empty = entries.filter((_, index) => !counts[index])
    if (empty.length > 0) throw new Failure(`pack-check: in workerd these entries export nothing: ${empty.join(', ')}`)
  } finally {
    await worker.dispose()
  }
}
