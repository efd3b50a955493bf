import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { root } from './command.mjs'

const skipped = new Set(['node_modules', 'dist', '.tsbuild', '.cache', 'test', 'test-results', '.git'])

/** The files below a file or folder, sorted; of a folder's own outputs only if it is one of them. */
export function filesBelow(start) {
  if (!existsSync(start)) return []
  if (statSync(start).isFile()) return [start]
  return readdirSync(start, { withFileTypes: true })
    .filter(({ name }) => !skipped.has(name) && !name.endsWith('.tsbuildinfo'))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => filesBelow(path.join(start, entry.name)))
}

/** A hash of the names and contents of files and of further texts. */
export function fingerprint(files, ...texts) {
  const hash = createHash('sha256')
  for (const file of files)
    hash
      .update(`${path.relative(root, file)}\0`)
      .update(readFileSync(file))
      .update('\0')
  for (const text of texts) hash.update(`${text}\0`)
  return hash.digest('hex')
}

/** What a stamp says, or nothing. */
export const readStamp = (file) => (existsSync(file) ? readFileSync(file, 'utf8') : '')

export function writeStamp(file, text) {
  mkdirSync(path.dirname(file), { recursive: true })
  writeFileSync(file, text)
}
