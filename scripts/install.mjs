import { readFileSync } from 'node:fs'
import path from 'node:path'
import { root, run } from './command.mjs'
import { Failure } from './failure.mjs'
import { filesBelow, fingerprint, readStamp, writeStamp } from './fingerprint.mjs'

const stampFile = path.join(root, 'node_modules/.x-install')
const logFile = path.join(root, '.cache/install.log')

/** Installs the dependencies, unless nothing changed since they were last installed. */
export async function install() {
  const wanted = fingerprint(manifests(), process.platform, process.arch)
  if (readStamp(stampFile) === wanted) return
  console.log('Installing dependencies …')
  const began = Date.now()
  const { code, output } = await runPackageManager()
  if (code !== 0) throw new Failure(`Cannot install: ${reason(output)}${keep(output)}`)
  writeStamp(stampFile, wanted)
  console.log(`Installed in ${((Date.now() - began) / 1000).toFixed(1)} s`)
}

function manifests() {
  const below = ['packages', 'apps', 'examples', 'e2e', 'conformance', 'interop', 'oauth'].flatMap((folder) =>
    filesBelow(path.join(root, folder)),
  )
  const found = below.filter((file) => path.basename(file) === 'package.json')
  return ['package.json', 'pnpm-workspace.yaml', 'pnpm-lock.yaml'].map((name) => path.join(root, name)).concat(found)
}

/** How the package manager of `package.json` is called: a program and its arguments. */
export function packageManager(...args) {
  const { packageManager: version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'))
  const all = ['-y', version, ...args]
  // cmd.exe, because Windows' npx is a batch file.
  return process.platform === 'win32' ? ['cmd.exe', '/d', '/s', '/c', 'npx', ...all] : ['npx', ...all]
}

async function runPackageManager() {
  // --prod=false: NODE_ENV=production would leave the tools out. The purge: a node_modules that another package manager
  // made is asked about, which fails where nobody can answer.
  const options = ['--frozen-lockfile', '--prod=false', '--reporter=append-only', '--config.confirmModulesPurge=false']
  const progress = createProgress()
  try {
    const [file, ...args] = packageManager('install', ...options)
    return await run(file, args, { show: 'none', env: retries(), onLine: progress.line })
  } catch (error) {
    if (error.code === 'ENOENT')
      throw new Failure('Cannot install: npx was not found; it comes with npm, as Node does.')
    throw error
  } finally {
    progress.end()
  }
}

/** The defaults wait for more than a minute before they say that there is no network. */
function retries() {
  const quicker = {
    npm_config_fetch_retries: '3',
    npm_config_fetch_retry_mintimeout: '1000',
    npm_config_fetch_retry_maxtimeout: '4000',
  }
  return Object.fromEntries(Object.entries(quicker).filter(([name]) => !(name in process.env)))
}

/** Shows how far the installation is: one line that changes on a terminal, a line every few seconds elsewhere. */
function createProgress() {
  const terminal = process.stdout.isTTY
  let shownAt = 0
  return {
    line(line) {
      const text = /Progress: .*/.exec(line)?.[0]
      if (!text) return
      if (terminal) process.stdout.write(`\r\x1b[2K  ${text}`)
      else if (Date.now() - shownAt > 3_000 || text.endsWith('done')) console.log(`  ${text}`)
      else return
      shownAt = Date.now()
    },
    end() {
      if (terminal && shownAt) process.stdout.write('\n')
    },
  }
}

/** Keeps everything that was said, where there is room for it. */
function keep(output) {
  try {
    writeStamp(logFile, output)
    return ` (everything it said: ${path.relative(root, logFile)})`
  } catch {
    return ''
  }
}

/** What the package manager says is wrong, in one line. */
export function reason(output) {
  if (/ENOSPC/.test(output)) return `no space is left on the disk of ${root}`
  const lines = output.split('\n').map((line) => line.trim().replace(/^npm (error|ERR!)\s*(network\s+)?/, ''))
  // npm ends with advice about proxies and the name of a log; what happened comes before.
  const told = lines.find((line) => /ERR_PNPM_|failed, reason:|Error: /.test(line)) ?? lines.filter(Boolean).at(-1)
  const said = told ?? 'the package manager said nothing'
  if (/ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|META_FETCH_FAIL/.test(output))
    return `the package registry cannot be reached: ${said}`
  return /EACCES|EROFS/.test(output) ? `no right to write: ${said}` : said
}
