import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { version } from '../src/version.js'

test('the version that clients are told is the package’s', async () => {
  const manifest = JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8')) as {
    version: string
  }
  expect(version).toBe(manifest.version)
})
