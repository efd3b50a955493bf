import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import os from 'node:os'
import path from 'node:path'
import { processesWith } from '@x/testkit/processes'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { ConnectOptions } from '../../src/config.js'
import type { LocalServer } from '../../src/stdio/local-server.js'
import { connect } from '../../src/stdio.js'
import { textOf } from './scripted.js'

const require = createRequire(import.meta.url)

async function open(name: string, more: Partial<LocalServer> = {}, options: ConnectOptions = {}) {
  const manifest = require.resolve(`@modelcontextprotocol/${name}/package.json`)
  const [bin] = Object.values(JSON.parse(readFileSync(manifest, 'utf8')).bin as Record<string, string>)
  const program = path.join(path.dirname(manifest), bin!)
  const client = await connect(
    { command: process.execPath, ...more, name, args: [program, ...(more.args ?? [])] },
    options,
  )
  onTestFinished(async () => {
    await client.close()
    expect(processesWith(program)).toEqual([])
  })
  return client
}

function temporaryFolder(): string {
  const folder = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'stdio-real-')))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

describe('the reference servers', () => {
  test('everything: lists, calls, progress, updates of a resource, and questions', async () => {
    const client = await open(
      'server-everything',
      {},
      {
        elicit: async () => ({ action: 'decline' }),
        sample: async () => ({ role: 'assistant', content: { type: 'text', text: 'a model’s words' }, model: 'none' }),
        roots: async () => [{ uri: 'file:///here', name: 'here' }],
      },
    )
    expect((await client.listTools()).map(({ name }) => name)).toEqual(
      expect.arrayContaining(['echo', 'get-tiny-image', 'trigger-long-running-operation']),
    )
    expect((await client.listResources()).length).toBeGreaterThan(0)
    expect((await client.listPrompts()).length).toBeGreaterThan(0)
    expect(await textOf(client.callTool('echo', { message: 'hello' }))).toBe('Echo: hello')
    const image = (await client.callTool('get-tiny-image')).content.find(({ type }) => type === 'image')
    expect((image as { data: Uint8Array }).data.subarray(1, 4)).toEqual(new TextEncoder().encode('PNG'))
    let steps = 0
    await client.callTool('trigger-long-running-operation', { duration: 0.2, steps: 4 }, { onProgress: () => steps++ })
    expect(steps).toBe(4)
    const updated = new Promise<string>((resolve) => {
      void client.subscribeResource('demo://resource/dynamic/text/1', ({ uri }) => resolve(uri))
    })
    await client.callTool('toggle-subscriber-updates')
    expect(await updated).toBe('demo://resource/dynamic/text/1')
    expect(await textOf(client.callTool('trigger-sampling-request', { prompt: 'Say something' }))).toContain(
      'a model’s words',
    )
  })

  test('filesystem: reads and writes in its folder, and nowhere else', async () => {
    const folder = temporaryFolder()
    writeFileSync(path.join(folder, 'note.txt'), 'grüße')
    const client = await open('server-filesystem', { args: [folder] })
    expect((await client.listTools()).map(({ name }) => name)).toContain('read_text_file')
    expect(await textOf(client.callTool('read_text_file', { path: path.join(folder, 'note.txt') }))).toBe('grüße')
    await client.callTool('write_file', { path: path.join(folder, 'new.txt'), content: 'written' })
    expect(readFileSync(path.join(folder, 'new.txt'), 'utf8')).toBe('written')
    expect(await client.callTool('read_text_file', { path: '/etc/passwd' })).toMatchObject({ isError: true })
  })

  test('filesystem: follows the roots that the app names', async () => {
    const [folder, other] = [temporaryFolder(), temporaryFolder()]
    const client = await open(
      'server-filesystem',
      { args: [folder] },
      { roots: async () => [{ uri: `file://${other}` }] },
    )
    await expect.poll(() => textOf(client.callTool('list_allowed_directories'))).toContain(other)
  })

  test('memory: keeps what it is told in the file that its environment names', async () => {
    const file = path.join(temporaryFolder(), 'memory.jsonl')
    const client = await open('server-memory', { env: { MEMORY_FILE_PATH: file } })
    expect((await client.listTools()).map(({ name }) => name)).toContain('read_graph')
    await client.callTool('create_entities', {
      entities: [{ name: 'Ada', entityType: 'person', observations: ['counts'] }],
    })
    expect((await client.callTool('read_graph')).structuredContent).toMatchObject({ entities: [{ name: 'Ada' }] })
    expect(readFileSync(file, 'utf8')).toContain('Ada')
  })

  test('sequential thinking: is called, and its thoughts on standard error are log events', async () => {
    const said: unknown[] = []
    const client = await open(
      'server-sequential-thinking',
      {},
      {
        onEvent: (event) => event.type === 'log' && said.push(event.data),
      },
    )
    const [tool] = await client.listTools()
    const result = await client.callTool(tool!.name, {
      thought: 'one step',
      nextThoughtNeeded: false,
      thoughtNumber: 1,
      totalThoughts: 1,
    })
    expect(result.structuredContent).toMatchObject({ thoughtNumber: 1, totalThoughts: 1 })
    await expect.poll(() => said.join('\n')).toContain('one step')
    expect(said.join('')).not.toContain('[34m')
  })
})
