import path from 'node:path'
import { build } from 'esbuild'
import { Miniflare } from 'miniflare'
import { Failure } from '../failure.mjs'

/** Loads a Worker that imports all entries at module scope, where workerd forbids every effect, and asks it for them. */
export async function checkWorkerd(consumer, entries) {
  const imports = entries.map((entry, index) => `import * as entry${index} from '${entry}'`)
  const counts = await askWorkerd(
    consumer,
    `${imports.join('\n')}
      const entries = [${entries.map((_, index) => `entry${index}`)}]
      export default { fetch: () => Response.json(entries.map((entry) => Object.keys(entry).length)) }`,
  )
  const empty = entries.filter((_, index) => !counts[index])
  if (empty.length > 0) throw new Failure(`pack-check: in workerd these entries export nothing: ${empty.join(', ')}`)
}

/** What a stranger's use of `@x/core/testing` sees in a Worker. */
export const chatInWorkerd = (consumer) =>
  askWorkerd(
    consumer,
    `import { chat } from './chat.mjs'
      export default { fetch: async () => Response.json(await chat()) }`,
  )

/** The JSON that a Worker answers with, bundled as an app's. */
async function askWorkerd(consumer, contents) {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: consumer },
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
    const response = await worker.dispatchFetch('http://worker/')
    if (!response.ok) throw new Failure(`pack-check: a Worker fails: ${await response.text()}`)
    return await response.json()
  } finally {
    await worker.dispose()
  }
}
