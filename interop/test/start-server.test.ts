import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { startServer } from '../src/start-server.js'

const preload = fileURLToPath(new URL('../servers/any-port.mjs', import.meta.url))

async function folderWith(script: string): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'interop-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  await copyFile(preload, path.join(folder, 'any-port.mjs'))
  await writeFile(path.join(folder, 'server.mjs'), script)
  return folder
}

const entry = { name: 'scripted', script: 'server.mjs', path: '/mcp', cors: 'own' } as const

test('two servers whose port is written in run at a time, until they are closed', async () => {
  const folder = await folderWith(`
    import { createServer } from 'node:http'
    createServer((_, response) => response.end('hello')).listen(3000, () => console.log('listening'))
  `)
  const log = path.join(folder, 'log')
  const [one, other] = await Promise.all([startServer(entry, folder, log), startServer(entry, folder, `${log}-2`)])
  expect(one.origin).not.toBe(other.origin)
  for (const { origin } of [one, other]) expect(await (await fetch(origin)).text()).toBe('hello')
  await Promise.all([one.close(), other.close()])
  await expect(fetch(one.origin)).rejects.toThrow()
  expect(await readFile(log, 'utf8')).toBe('listening\n')
})

test('a server that ends before it listens is an error that names its log', async () => {
  const folder = await folderWith('throw new Error("no")')
  await expect(startServer(entry, folder, path.join(folder, 'log'))).rejects.toThrow(/scripted ended.*log/)
})
