import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openGateway } from '../../gateway/open-gateway.js'
import { readServers } from '../../gateway/servers.js'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mcp-json-'))
})
afterAll(() => rm(folder, { recursive: true }))

async function write(content: unknown): Promise<string> {
  const file = join(folder, 'mcp.json')
  await writeFile(file, typeof content === 'string' ? content : JSON.stringify(content))
  return file
}

describe('the servers of a file', () => {
  it('are read as other clients write them; what is not known is ignored', async () => {
    const file = await write({
      inputs: [],
      mcpServers: {
        notes: { url: 'https://notes.example/mcp?team=1', type: 'http', headers: { 'X-Key': 'k' }, disabled: false },
        local: { url: 'http://127.0.0.1:3001/mcp' },
      },
    })
    expect(await readServers(file)).toEqual({
      notes: { title: 'notes.example', config: { url: 'https://notes.example/mcp?team=1', headers: { 'X-Key': 'k' } } },
      local: { title: '127.0.0.1:3001', config: { url: 'http://127.0.0.1:3001/mcp' } },
    })
  })

  it('may have comments, a comma too many and a byte order mark, as editors leave them', async () => {
    const file = await write('\ufeff{ // mine\n "mcpServers": { "a": { "url": "http://a.example/mcp" }, } }')
    expect(Object.keys(await readServers(file))).toEqual(['a'])
  })
})

describe('what is wrong with the file is told in one line, with the key and no secret', () => {
  const url = 'http://a.example/mcp'
  const entry = (value: unknown) => ({ mcpServers: { a: value } })
  it.each([
    ['{\n  "mcpServers": {\n    "a": { "url": s3cret }', 'line 3, column 19: no valid JSON'],
    ['{ "mcpServers": { "a": { "headers": { "X": "s3cret', 'line 1, column 44: no valid JSON'],
    ['', 'line 1, column 1: no valid JSON'],
    [[], 'it must be an object with the key "mcpServers"'],
    [{ servers: {} }, '"mcpServers" must be an object'],
    [{ mcpServers: {} }, '"mcpServers" names no server'],
    [entry(null), '"mcpServers.a" must be an object'],
    [entry({ command: '' }), '"mcpServers.a.command" must name a program'],
    [entry({ command: 'npx', args: 's3cret' }), '"mcpServers.a.args" must be a list'],
    [entry({ command: 'npx', env: { KEY: 5_3 } }), '"mcpServers.a.env.KEY" must be a string'],
    [entry({ command: 'npx', type: 'http' }), '"mcpServers.a.type" must be "stdio"'],
    [entry({}), '"mcpServers.a.url" must be an http or https URL'],
    [entry({ url: 'ftp://s3cret.example' }), '"mcpServers.a.url" must be an http or https URL'],
    [entry({ url: 'http://user:s3cret@a.example' }), '"url" of "a" must be'],
    [entry({ url, type: 'sse' }), '"mcpServers.a.type" must be "http"'],
    [entry({ url, headers: { 'X-Key': 5_3 } }), '"mcpServers.a.headers.X-Key" must be a string'],
    [entry({ url, headers: 's3cret' }), '"mcpServers.a.headers" must be an object'],
    [entry({ url, headers: { 'X-Key': 's3cret\n' } }), '"headers" of "a" holds a character that HTTP does not allow'],
    [entry({ url, headers: { 'X Key': 's3cret' } }), '"headers" of "a" holds what no header can hold'],
    [{ mcpServers: { 'my server': { url } } }, 'The server name "my server" must begin with a letter'],
  ])('%j', async (content, said) => {
    const file = await write(content)
    const message = await openGateway({ token: 't', file }).then(
      () => 'it was taken',
      (error: Error) => error.message,
    )
    expect(message).toContain(`${file}: ${said}`)
    expect(message).toMatch(/^.+$/)
    expect(message).not.toContain('s3cret')
  })

  it('a folder', async () => {
    await expect(openGateway({ token: 't', file: folder })).rejects.toThrow(`${folder}: it can't be read (EISDIR)`)
  })
})
