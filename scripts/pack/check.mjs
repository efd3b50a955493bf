// `npm run pack-check`: packs core, web and edge as they would be published, looks at the tarballs with publint and
// attw, installs them into an empty project with npm, and type-checks and runs a stranger's files there.
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { root, run, runNode, tool } from '../command.mjs'
import { Failure, tell } from '../failure.mjs'
import { packageManager } from '../install.mjs'
import { checkPage } from './in-page.mjs'
import { checkWorkerd } from './in-workerd.mjs'
import { checkTestServer } from './test-server-elsewhere.mjs'

const packages = ['core', 'web', 'edge']
const folder = path.join(root, '.cache/pack')
const consumer = path.join(folder, 'consumer')

/** Every entry of the packages that code imports. */
export function entries() {
  return packages.flatMap((name) => {
    const { exports } = JSON.parse(readFileSync(path.join(root, 'packages', name, 'package.json'), 'utf8'))
    return Object.keys(exports)
      .filter((entry) => !entry.endsWith('package.json'))
      .map((entry) => `@x/${name}${entry.slice(1)}`)
  })
}

/** Entries whose import is an effect: they make the worker that they are loaded in serve. */
const workers = ['@x/web/worker', '@x/web/worker-bundled']
const inert = entries().filter((entry) => !workers.includes(entry))
/** All but what starts processes: other runtimes have none. */
const everywhere = inert.filter((entry) => entry !== '@x/core/stdio')

async function succeed(what, { code, output }) {
  if (code === 0) return console.log(`ok  ${what}`)
  console.error(output.trimEnd())
  throw new Failure(`pack-check: ${what} failed, see above.`)
}

const quiet = { show: 'none' }

try {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })

  for (const name of packages) {
    const cwd = path.join(root, 'packages', name)
    const [file, ...args] = packageManager('pack', '--pack-destination', folder)
    await succeed(`@x/${name} packs`, await run(file, args, { ...quiet, cwd }))
  }
  const tarballs = readdirSync(folder).filter((file) => file.endsWith('.tgz'))
  for (const tarball of tarballs) {
    const file = path.join(folder, tarball)
    await succeed(`${tarball} passes publint`, await runNode(tool('publint'), [file, '--strict'], quiet))
    const attw = [file, '--profile', 'esm-only', '--no-color']
    await succeed(`${tarball} passes attw`, await runNode(tool('@arethetypeswrong/cli', 'attw'), attw, quiet))
  }

  cpSync(path.join(root, 'scripts/pack/consumer'), consumer, { recursive: true })
  const manifest = { name: 'consumer', private: true, type: 'module', dependencies: {} }
  for (const tarball of tarballs) manifest.dependencies[`@x/${tarball.split('-')[1]}`] = `file:../${tarball}`
  writeFileSync(path.join(consumer, 'package.json'), JSON.stringify(manifest, null, 2))
  const install = ['install', '--no-audit', '--no-fund', '--loglevel=error']
  await succeed(
    'npm installs the tarballs into an empty project',
    await run('npm', install, { ...quiet, cwd: consumer }),
  )

  const tsc = tool('typescript', 'tsc')
  await succeed(
    "a stranger's file type-checks, declarations included",
    await runNode(tsc, ['-p', '.'], { ...quiet, cwd: consumer }),
  )
  await succeed('it calls a tool in Node', await runNode('call.mjs', [], { ...quiet, cwd: consumer }))
  await succeed(
    'its own test runs in Node, against @x/core/testing',
    await runNode('--test', ['chat.test.mjs'], { ...quiet, cwd: consumer }),
  )
  await succeed(
    'no entry has an effect in Node, as in a server-side render',
    await runNode('inert.mjs', inert, { ...quiet, cwd: consumer }),
  )
  await checkWorkerd(consumer, everywhere)
  console.log('ok  no entry has an effect in workerd, at module scope, without nodejs_compat')
  await checkPage(consumer, everywhere)
  console.log('ok  no entry has an effect in a page')
  await checkTestServer(consumer)
  console.log('ok  the test server serves in a page, in a worker and in workerd')
  console.log(`${tarballs.length} packages, ${inert.length} entries`)
} catch (error) {
  tell(error)
}
