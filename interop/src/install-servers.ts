import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { cp, mkdir, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const source = fileURLToPath(new URL('../servers/', import.meta.url))
/** What runs leave, and what they need; never a part of what the workspace installs. */
export const cache = fileURLToPath(new URL('../../.cache/interop/', import.meta.url))

/**
 * Installs the servers, at the versions of `servers/package-lock.json`, unless they are there already.
 *
 * @returns The folder that they are in.
 * @throws Error that says what to do, where npm fails.
 */
export async function installServers(): Promise<string> {
  const folder = path.join(cache, 'servers')
  const stampFile = path.join(folder, 'node_modules/.interop-install')
  const manifests = ['package.json', 'package-lock.json'].map((name) => readFileSync(path.join(source, name)))
  const wanted = manifests.reduce((hash, bytes) => hash.update(bytes), createHash('sha256')).digest('hex')
  await mkdir(folder, { recursive: true })
  const installed = existsSync(stampFile) && readFileSync(stampFile, 'utf8') === wanted
  if (!installed) await rm(path.join(folder, 'node_modules'), { recursive: true, force: true })
  // Copied, because a file's bare imports are looked up from where it lies.
  await cp(source, folder, { recursive: true })
  if (installed) return folder
  console.log('Installing the servers …')
  await runNpm(['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], folder)
  await writeFile(stampFile, wanted)
  return folder
}

async function runNpm(args: string[], cwd: string): Promise<void> {
  try {
    // A shell on Windows only, where npm is a batch file.
    await promisify(execFile)('npm', args, { cwd, shell: process.platform === 'win32', maxBuffer: 16 * 1024 * 1024 })
  } catch (error) {
    const said = (error as { stderr?: string }).stderr?.trim() || String(error)
    throw new Error(`the servers of interop/servers were not installed; is the package registry reachable? ${said}`)
  }
}
