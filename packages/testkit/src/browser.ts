import { execFile } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { LaunchOptions } from '@playwright/test'

const run = promisify(execFile)
const testkit = fileURLToPath(new URL('..', import.meta.url))
const cache = path.resolve(testkit, '../../.cache')

// Not the args of @sparticuz/chromium: they switch web security off (no CORS at all) and force one process, so that a
// test would prove nothing about browsers.
const args = [
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--disable-gpu',
]

const installed = [
  '/usr/bin/chromium',
  '/usr/bin/google-chrome',
  '/opt/google/chrome/chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
  'C:\\Program Files (x86)\\Google\\Chrome\\Application\\chrome.exe',
]

/**
 * How Playwright is to launch Chromium here: `CHROME_PATH`, else a Chromium or Chrome that is installed, else the one
 * that the npm package `@sparticuz/chromium` carries, which is unpacked once into the workspace's `.cache`.
 *
 * @throws Error that says what to do, where there is none.
 */
export async function launchOptions(): Promise<LaunchOptions> {
  const wanted = process.env.CHROME_PATH
  if (wanted && !existsSync(wanted)) throw new Error(`CHROME_PATH names no file: ${wanted}`)
  const executablePath = wanted || installed.find((file) => existsSync(file))
  // Chromium's own sandbox needs what containers forbid, and refuses to run as root.
  const options: LaunchOptions = { chromiumSandbox: false, args }
  if (executablePath) return { ...options, executablePath }
  if (process.platform !== 'linux' || process.arch !== 'x64')
    throw new Error('no Chromium or Google Chrome was found: install one, or name its executable in CHROME_PATH')
  return { ...options, ...(await carried()) }
}

/** The browser in `@sparticuz/chromium`, with what a bare machine lacks. */
async function carried(): Promise<Pick<LaunchOptions, 'executablePath' | 'env'>> {
  const { version } = JSON.parse(
    readFileSync(path.join(testkit, 'node_modules/@sparticuz/chromium/package.json'), 'utf8'),
  ) as { version: string }
  const folder = path.join(cache, `chromium-${version}`)
  if (!existsSync(folder)) await unpack(folder)
  const executablePath = path.join(folder, 'chromium')
  const env: Record<string, string> = {}
  for (const [name, value] of Object.entries(process.env)) if (value !== undefined) env[name] = value
  if (await lacksLibraries(executablePath)) env.LD_LIBRARY_PATH = path.join(folder, 'al2023/lib')
  // Without a font all text is 0 x 0 and counts as hidden. The package's own fonts.conf names folders of AWS Lambda.
  if (!existsSync('/etc/fonts/fonts.conf') || !hasFonts()) env.FONTCONFIG_FILE = path.join(folder, 'fonts.conf')
  return { executablePath, env }
}

async function unpack(folder: string): Promise<void> {
  await mkdir(cache, { recursive: true })
  // Unpacked aside and renamed when whole: two processes that start at once must not see each other's half.
  const aside = await mkdtemp(`${folder}-`)
  try {
    // In a process of its own, because the package takes its folder from TMPDIR, and brings its NSS libraries only
    // where this variable is set when it is loaded.
    const load = "import chromium from '@sparticuz/chromium'; await chromium.executablePath()"
    await run(process.execPath, ['--input-type=module', '--eval', load], {
      cwd: testkit,
      env: { ...process.env, TMPDIR: aside, AWS_LAMBDA_JS_RUNTIME: 'nodejs20.x' },
    })
    const fonts = `<dir>${folder}/fonts</dir><cachedir>${folder}/fonts-cache</cachedir>`
    const head = '<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd">'
    await writeFile(path.join(aside, 'fonts.conf'), `${head}<fontconfig>${fonts}</fontconfig>`)
    await rename(aside, folder)
  } catch (error) {
    await rm(aside, { recursive: true, force: true })
    if (!existsSync(folder)) throw new Error('the Chromium of @sparticuz/chromium did not unpack', { cause: error })
  }
}

async function lacksLibraries(executable: string): Promise<boolean> {
  const { stdout } = await run('ldd', [executable])
  return stdout.includes('not found')
}

function hasFonts(): boolean {
  return ['/usr/share/fonts', '/usr/local/share/fonts'].some(
    (folder) =>
      existsSync(folder) &&
      readdirSync(folder, { recursive: true }).some((name) => /\.(ttf|otf|ttc|pf[ab])$/.test(String(name))),
  )
}
