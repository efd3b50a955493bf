import { existsSync } from 'node:fs'
import path from 'node:path'
import { root, runNode, tool } from './command.mjs'
import { Failure } from './failure.mjs'
import { filesBelow, fingerprint, readStamp, writeStamp } from './fingerprint.mjs'

/** In order: each is built from its own files and from what the ones before it gave. */
const parts = [
  { name: 'core', folder: 'packages/core', script: () => [tool('tsdown')] },
  { name: 'web', folder: 'packages/web', script: () => ['build.mjs'] },
  { name: 'edge', folder: 'packages/edge', script: () => [tool('tsdown')] },
  { name: 'playground', folder: 'apps/playground', script: () => [tool('vite'), 'build', '--logLevel', 'warn'] },
]
const shared = ['package.json', 'pnpm-lock.yaml', 'tsconfig.base.json'].map((name) => path.join(root, name))

/** Builds the packages and the playground, each only if what it is built from changed since. */
export const build = () => buildParts(parts)

/** Builds the packages alone: all that most checks need. */
export const buildPackages = () => buildParts(parts.filter(({ folder }) => folder.startsWith('packages/')))

async function buildParts(wanted) {
  let before = fingerprint(shared)
  for (const part of wanted) {
    const folder = path.join(root, part.folder)
    const stampFile = path.join(root, '.cache/build', part.name)
    before = fingerprint(filesBelow(folder), before)
    if (readStamp(stampFile) === stamp(before, folder)) continue
    const began = Date.now()
    const [script, ...args] = part.script()
    const { code, output } = await runNode(script, args, { cwd: folder, show: 'none' })
    if (code !== 0) {
      console.error(output.trimEnd())
      throw new Failure(`Cannot build ${part.name}: see above.`)
    }
    writeStamp(stampFile, stamp(before, folder))
    console.log(`Built ${part.name} in ${((Date.now() - began) / 1000).toFixed(1)} s`)
  }
}

// Of the sources and of the outcome: someone may have built something else by hand, or cut a build short.
function stamp(sources, folder) {
  const dist = path.join(folder, 'dist')
  return existsSync(dist) ? `${sources} ${fingerprint(filesBelow(dist))}` : 'none'
}
