import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { processesWith } from '@x/testkit/processes'
import { describe, expect, test } from 'vitest'
import type { McpError } from '../../src/errors.js'
import { connect } from '../../src/stdio.js'
import { createRecord, open, scripted, textOf } from './scripted.js'

/** The error of a connect that fails. */
async function failing(run: Promise<unknown>): Promise<McpError> {
  return run.then(
    () => Promise.reject(new Error('it connected')),
    (error) => error as McpError,
  )
}

describe('a server that can not be reached', () => {
  test('a command that does not exist is told with the system error, and with nothing that may be a secret', async () => {
    const error = await failing(
      connect({ command: '/no/such/server', args: ['--token', 'SECRET-1'], env: { KEY: 'SECRET-2' } }),
    )
    expect(error).toMatchObject({
      code: 'ERR_MCP_CONNECT',
      data: { reason: 'not-started', command: '/no/such/server', errno: 'ENOENT', server: 'server' },
    })
    expect(`${error.message}${error.stack}${JSON.stringify(error)}${String(error.cause)}`).not.toContain('SECRET')
    expect(error.cause).toBeUndefined()
  })

  test('so is a folder that does not exist, and a file that is no program', async () => {
    expect(await failing(connect(scripted('good', { cwd: '/no/such/folder' })))).toMatchObject({
      code: 'ERR_MCP_CONNECT',
      data: { errno: 'ENOENT' },
    })
    expect(await failing(connect({ command: import.meta.filename }))).toMatchObject({
      code: 'ERR_MCP_CONNECT',
      data: { errno: 'EACCES' },
    })
  })

  test('one for which there are no files left is told, and the process goes on', async () => {
    const fixture = fileURLToPath(new URL('fixtures/no-files-left.ts', import.meta.url))
    const script = 'ulimit -n 200; exec "$0" --import tsx "$1"'
    const { stdout } = await promisify(execFile)('/bin/sh', ['-c', script, process.execPath, fixture])
    expect(stdout.trim().split('\n')).toEqual([
      'ERR_MCP_CONNECT exited',
      'ERR_MCP_CONNECT EMFILE',
      'ERR_MCP_CONNECT exited',
    ])
  })

  test.each([
    ['exits', 3],
    ['dies in the handshake', 4],
  ])('one that %s is told with its exit code, and its last words are log events', async (behaviour, exit) => {
    const said: unknown[] = []
    const error = await failing(
      connect(scripted(behaviour), { onEvent: (event) => event.type === 'log' && said.push(event) }),
    )
    expect(error).toMatchObject({
      code: 'ERR_MCP_CONNECT',
      data: { reason: 'exited', command: process.execPath, exit, server: 'scripted' },
    })
    expect(error.data.attempts).toMatchObject([{ transport: 'stdio', era: 'legacy' }])
    if (behaviour === 'exits')
      expect(said).toEqual([{ type: 'log', level: 'info', logger: 'scripted', data: 'cannot find the configuration' }])
  })

  test('one that never answers is told when the time is up, and is gone', async () => {
    const record = createRecord()
    const error = await failing(connect(scripted('silent', { connectTimeoutMs: 300, env: record.env })))
    expect(error).toMatchObject({ code: 'ERR_MCP_TIMEOUT', data: { limit: 300, server: 'scripted' } })
    expect(record.lines()).toContain('received initialize')
  })

  test('one that prints garbage is told with what it printed', async () => {
    const error = await failing(connect(scripted('garbage', { connectTimeoutMs: 500 })))
    expect(error.code).toBe('ERR_MCP_TIMEOUT')
    expect(error.data.attempts).toEqual([
      {
        transport: 'stdio',
        era: 'legacy',
        reason: 'it writes what is no JSON-RPC message: Server listening on http://localhost:3000 ok',
      },
    ])
  })

  test('one that is given up while it starts leaves no process', async () => {
    const mark = `mark-${process.pid}-given-up`
    const abort = new AbortController()
    const connecting = failing(
      connect(scripted('silent', { args: [...scripted('silent').args!, mark] }), { signal: abort.signal }),
    )
    await expect.poll(() => processesWith(mark)).toHaveLength(1)
    abort.abort(new Error('no longer wanted'))
    expect((await connecting).message).toBe('no longer wanted')
    await expect.poll(() => processesWith(mark)).toEqual([])
  })
})

describe('the handshake', () => {
  test('begins with initialize, since there are servers that end at anything else', async () => {
    const record = createRecord()
    const { client } = await open('good', { env: record.env })
    expect(client.state).toMatchObject({
      status: 'ready',
      server: { name: 'scripted', era: 'legacy', protocolVersion: '2025-11-25', transport: 'stdio' },
    })
    await expect
      .poll(() => record.lines().filter((line) => line.startsWith('received')))
      .toEqual(['received initialize', 'received notifications/initialized'])
  })

  test('is made once more, with another process, where a server refuses the revision', async () => {
    const record = createRecord()
    const { client } = await open('picky', { env: record.env })
    expect(client.state.server?.protocolVersion).toBe('2024-11-05')
    expect(record.lines().filter((line) => line.startsWith('start'))).toHaveLength(2)
  })

  test('of a pinned revision 2026-07-28 is server/discover alone', async () => {
    const record = createRecord()
    const { client } = await open('modern', { protocolVersion: '2026-07-28', env: record.env })
    expect(client.state.server).toMatchObject({ era: 'modern', transport: 'stdio', name: 'scripted' })
    expect(await textOf(client.callTool('echo', { value: 'hello' }))).toBe('hello')
    expect(record.lines()).not.toContain('received initialize')
  })

  test('finds a server that only speaks revision 2026-07-28', async () => {
    const { client } = await open('modern')
    expect(client.state.server).toMatchObject({ era: 'modern', protocolVersion: '2026-07-28' })
    expect(await textOf(client.callTool('echo', { value: 'hello' }))).toBe('hello')
  })

  test('of a pinned revision that the server does not have is refused', async () => {
    const error = await failing(connect(scripted('modern', { protocolVersion: '2025-06-18' })))
    expect(error.code).toBe('ERR_MCP_PROTOCOL_VERSION')
    expect(await failing(connect(scripted('good', { protocolVersion: '2026-07-28' })))).toMatchObject({
      code: 'ERR_MCP_PROTOCOL_VERSION',
      message: expect.stringContaining('has ended with exit code 6'),
      data: { attempts: [{ transport: 'stdio', era: 'modern' }] },
    })
  })
})

describe('the configuration', () => {
  test.each([
    ['command', { command: '' }],
    ['command', { command: 'a\0b' }],
    ['args', { args: ['a\0SECRET'] }],
    ['args', { args: [1] }],
    ['env.KEY', { env: { KEY: 'a\0SECRET' } }],
    ['env.', { env: { '': 'a' } }],
    ['cwd', { cwd: '' }],
    ['restart.attempts', { restart: { attempts: 0, backoffMs: 1 } }],
    ['restart.backoffMs', { restart: { attempts: 1, backoffMs: -1 } }],
    ['auth', { auth: { type: 'bearer', token: 'SECRET' } }],
    ['headers', { headers: { authorization: 'SECRET' } }],
    ['transport', { transport: 'sse' }],
    ['callTimeoutMs', { callTimeoutMs: 0 }],
  ])('that is wrong in "%s" is told, and no value', async (key, wrong) => {
    const error = await failing(connect({ ...scripted(), ...(wrong as object) }))
    expect(error).toMatchObject({ code: 'ERR_MCP_CONFIG', data: { key, server: 'scripted' } })
    expect(error.message).not.toContain('SECRET')
  })

  test('gives the server its folder, and of our environment only what every program needs', async () => {
    process.env.NOT_FOR_SERVERS = 'secret'
    try {
      const { client } = await open('good', { cwd: import.meta.dirname, env: { GIVEN: 'yes' } })
      expect(await textOf(client.callTool('directory'))).toBe(import.meta.dirname)
      const environment = JSON.parse(await textOf(client.callTool('environment')))
      expect(environment.GIVEN).toBe('yes')
      const known = ['HOME', 'LOGNAME', 'PATH', 'SHELL', 'TERM', 'USER', 'GIVEN']
      expect(Object.keys(environment).filter((key) => !known.includes(key))).toEqual([])
    } finally {
      delete process.env.NOT_FOR_SERVERS
    }
  })
})
