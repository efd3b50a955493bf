import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { type ConnectOptions, connect, createHost } from '@x/edge'
import { processesWith } from '@x/testkit/processes'
import { expect, onTestFinished, test } from 'vitest'
import { createLocalEndpoint } from '../../gateway/local-endpoint.js'
import { createTemporaryFiles } from '../../gateway/temporary-files.js'
import { runGateway, token } from './running-gateway.js'

const url = 'http://local.invalid/mcp'

/** A server that runs this code, in which `on(method, answer)` is said of each method that it has. */
function scripted(code: string) {
  const script = `
    const methods = {}
    const on = (method, answer) => { methods[method] = answer }
    const say = (message) => console.log(JSON.stringify({ jsonrpc: '2.0', ...message }))
    on('initialize', () => ({ protocolVersion: '2025-11-25', capabilities: { tools: {}, logging: {} }, serverInfo: { name: 'scripted', version: '1' } }))
    on('tools/list', () => ({ tools: [{ name: 'run', inputSchema: { type: 'object' } }] }))
    ${code}
    require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
      const { id, method, params } = JSON.parse(line)
      const result = id === undefined ? undefined : methods[method]?.(params, id)
      if (result) say({ id, result })
    })`
  const endpoint = createLocalEndpoint({ command: process.execPath, args: ['-e', script], name: 'scripted' })
  onTestFinished(() => endpoint.close())
  return endpoint
}

async function open({ fetch }: { fetch: typeof globalThis.fetch }, options: ConnectOptions = {}) {
  const client = await createHost({ fetch }).connect(url, options)
  onTestFinished(() => client.close())
  return client
}

test('a local server is one of the gateway’s', async () => {
  const files = await createTemporaryFiles()
  onTestFinished(files.remove)
  const endpoint = createLocalEndpoint(files.server)
  onTestFinished(endpoint.close)
  const gateway = await runGateway({ files: { title: 'Files', config: { url, fetch: endpoint.fetch } } })
  const client = await connect({ url: gateway.url('/servers/files/mcp').href, auth: { type: 'bearer', token } })
  onTestFinished(() => client.close())
  expect(client.state.server?.name).toBe('secure-filesystem-server')
  const [folder] = files.server.args!.slice(-1)
  const { content } = await client.callTool('read_text_file', { path: `${folder}/welcome.txt` })
  expect(content).toEqual([{ type: 'text', text: await readFile(`${folder}/welcome.txt`, 'utf8') }])
  const all = await connect({ url: gateway.url('/mcp').href, auth: { type: 'bearer', token } })
  onTestFinished(() => all.close())
  expect((await all.listTools()).map(({ name }) => name)).toContain('files__read_text_file')
})

test('a command that can not be started is told in the console, and no argument of it', async () => {
  const endpoint = createLocalEndpoint({ command: '/no/such/program', args: ['s3cret'] })
  const gateway = await runGateway({ gone: { title: 'Gone', config: { url, fetch: endpoint.fetch } } })
  const error = await connect({ url: gateway.url('/servers/gone/mcp').href, auth: { type: 'bearer', token } }).then(
    () => undefined,
    (error: Error) => error,
  )
  expect(error?.message).toContain('"gone" does not answer')
  expect(gateway.report.join()).toContain('"/no/such/program" could not be started (ENOENT)')
  expect(gateway.report.join()).not.toContain('s3cret')
})

test('progress comes with its call, and what a server logs', async () => {
  const endpoint = scripted(`
    console.error('greetings')
    on('tools/call', ({ _meta }) => {
      say({ method: 'notifications/progress', params: { progressToken: _meta.progressToken, progress: 1 } })
      return { content: [] }
    })`)
  const logged: unknown[] = []
  const client = await open(endpoint, { onEvent: (event) => event.type === 'log' && logged.push(event.data) })
  const steps: number[] = []
  await client.callTool('run', {}, { onProgress: ({ progress }) => steps.push(progress) })
  expect(steps).toEqual([1])
})

test('a server that dies is told to the calls that run, and the next one has another process', async () => {
  const endpoint = scripted(`
    on('tools/call', ({ arguments: { die } }) => die ? process.exit(7) : { content: [{ type: 'text', text: String(process.pid) }] })`)
  const client = await open(endpoint)
  const first = await client.callTool('run')
  await expect(client.callTool('run', { die: true })).rejects.toMatchObject({
    code: 'ERR_MCP_JSONRPC',
    message: expect.stringContaining('has ended with exit code 7'),
    data: { outcome: 'unknown' },
  })
  expect(await client.callTool('run')).not.toEqual(first)
})

test('each session has a process of its own, and nothing but initialize begins one', async () => {
  const endpoint = scripted(`on('tools/call', () => ({ content: [{ type: 'text', text: String(process.pid) }] }))`)
  const [one, two] = await Promise.all([open(endpoint), open(endpoint)])
  expect(await one.callTool('run')).not.toEqual(await two.callTool('run'))
  const ask = (init: RequestInit) => endpoint.fetch(url, init).then(({ status }) => status)
  expect(await ask({ method: 'GET' })).toBe(400)
  expect(await ask({ method: 'POST', body: '{}' })).toBe(400)
  expect(await ask({ method: 'GET', headers: { 'mcp-session-id': 'unknown' } })).toBe(404)
})

test('there are eight processes at the most: the oldest makes room', async () => {
  const endpoint = scripted(`on('tools/call', () => ({ content: [{ type: 'text', text: String(process.pid) }] }))`)
  const clients = []
  for (let count = 0; count < 9; count++) clients.push(await open(endpoint))
  const pids = await Promise.all(
    clients.slice(1).map((client) => client.callTool('run').then(({ content }) => content)),
  )
  expect(new Set(pids.map((content) => JSON.stringify(content))).size).toBe(8)
})

test('there are no more when all come at once, and none is left when it is closed', async () => {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'local-endpoint-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  // Each counts those that run when it starts, and is one of them until it ends.
  const endpoint = scripted(`
    const fs = require('node:fs')
    const own = ${JSON.stringify(folder)} + '/' + process.pid
    fs.writeFileSync(own, '')
    fs.appendFileSync(${JSON.stringify(folder)} + '.counts', fs.readdirSync(${JSON.stringify(folder)}).length + '\\n')
    process.on('exit', () => fs.rmSync(own))`)
  const counts = `${folder}.counts`
  onTestFinished(() => rm(counts, { force: true }))
  const begun = await Promise.allSettled(
    Array.from({ length: 20 }, () => createHost({ fetch: endpoint.fetch }).connect(url)),
  )
  expect(begun.some(({ status }) => status === 'fulfilled')).toBe(true)
  await endpoint.close()
  const running = (await readFile(counts, 'utf8')).trim().split('\n').map(Number)
  expect(running.length).toBeGreaterThan(8)
  expect(Math.max(...running)).toBeLessThanOrEqual(8)
  expect(await readdir(folder)).toEqual([])
})

test('a request that begins no session leaves no process', async () => {
  const mark = `mark-${process.pid}-refused`
  const endpoint = scripted(`// ${mark}`)
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'a page', version: '1' } }
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params })
  // Without `Accept: text/event-stream`.
  const { status } = await endpoint.fetch(url, {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/json', accept: 'application/json' },
  })
  expect(status).toBe(406)
  await expect.poll(() => processesWith(mark)).toEqual([])
})
