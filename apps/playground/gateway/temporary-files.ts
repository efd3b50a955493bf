import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import os from 'node:os'
import path from 'node:path'
import type { LocalServer } from '@x/core/stdio'

/** A server for the files of a new temporary folder, which holds one of them. */
export async function createTemporaryFiles(): Promise<{ server: LocalServer; remove(): Promise<void> }> {
  const folder = await realpath(await mkdtemp(path.join(os.tmpdir(), 'playground-files-')))
  await writeFile(path.join(folder, 'welcome.txt'), 'Whatever is in this folder is gone when the playground ends.\n')
  const program = createRequire(import.meta.url).resolve('@modelcontextprotocol/server-filesystem/dist/index.js')
  return {
    server: { name: 'files', command: process.execPath, args: [program, folder] },
    remove: () => rm(folder, { recursive: true, force: true }),
  }
}
