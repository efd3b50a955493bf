import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { describe, expect, onTestFinished, test } from 'vitest'

const script = fileURLToPath(new URL('../run.mjs', import.meta.url))

/** Runs a task to its end. */
function run(args, { env = {}, flags = [] } = {}) {
  return new Promise((resolve) => {
    const options = { env: { ...process.env, ...env } }
    execFile(process.execPath, [...flags, script, ...args], options, (error, stdout, stderr) =>
      resolve({ code: error?.code ?? 0, stdout, stderr }),
    )
  })
}

describe('what is wrong is said in one line, and the exit code is 1', () => {
  test('an old Node', async () => {
    const old = "Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.18.3' } })"
    const { code, stderr } = await run(['test'], { flags: ['--import', `data:text/javascript,${old}`] })
    expect(stderr).toMatch(/^Node 20\.18\.3 is too old: .+\n$/)
    expect(code).toBe(1)
  })

  test('a task that does not exist', async () => {
    const { code, stderr } = await run(['tset'])
    expect(stderr).toMatch(/^Name a task: .+\n$/)
    expect(code).toBe(1)
  })

  test.each(['http', '70000', '-1'])('PORT=%s', async (PORT) => {
    const { code, stderr } = await run(['start'], { env: { PORT } })
    expect(stderr).toMatch(/^PORT must be a number .+\n$/)
    expect(code).toBe(1)
  })

  test.each([
    [['--confg', 'mcp.json'], "Unknown option '--confg'"],
    [['mcp.json'], "Unexpected argument 'mcp.json'"],
    [['--config'], "Option '--config <value>' argument missing"],
  ])('npm start -- %s', async (args, what) => {
    const { code, stderr } = await run(['start', ...args])
    expect(stderr).toBe(`${what}: npm start takes -- --config FILE, the servers behind its gateway.\n`)
    expect(code).toBe(1)
  })

  test('a file of servers that is not there, named from where npm was called', async () => {
    const env = { PORT: '0', INIT_CWD: fileURLToPath(new URL('.', import.meta.url)) }
    const { code, stderr } = await run(['start', '--config', 'missing.json'], { env })
    expect(stderr).toBe(`${fileURLToPath(new URL('missing.json', import.meta.url))}: there is no such file.\n`)
    expect(code).toBe(1)
  })

  test('a taken port', async () => {
    const holder = createServer().listen(0, '127.0.0.1')
    await once(holder, 'listening')
    const { port } = holder.address()
    const { code, stderr } = await run(['start'], { env: { PORT: String(port) } })
    holder.close()
    expect(stderr).toMatch(new RegExp(`^Port ${port} is taken: .+\n$`))
    expect(code).toBe(1)
  })
})

/** The first start may have to build. */
const startTimeoutMs = 120_000

describe.each(['SIGINT', 'SIGTERM'])('npm start', (signal) => {
  test(`prints one URL, serves the playground and its gateway there, and ends with ${signal}`, {
    timeout: startTimeoutMs,
  }, async () => {
    const child = spawn(process.execPath, [script, 'start'], { env: { ...process.env, PORT: '0' } })
    onTestFinished(() => void child.kill('SIGKILL'))
    const exited = once(child, 'exit')
    const lines = []
    for await (const line of createInterface(child.stdout)) {
      lines.push(line)
      if (line.startsWith('Playground: ')) break
    }
    const url = /http:\S+/.exec(lines.at(-1))[0]
    const page = await fetch(url)
    expect(page.headers.get('content-type')).toContain('text/html')
    expect(await page.text()).toContain('<script type="module"')
    const [, token] = /#token=([\w-]{43})$/.exec(url)
    const servers = await fetch(new URL('/gateway/servers', url), { headers: { authorization: `Bearer ${token}` } })
    expect(await servers.json()).toMatchObject({ servers: [{ name: 'demo' }, { name: 'files' }] })
    child.kill(signal)
    expect(await exited).toEqual([0, null])
    expect(lines.filter((line) => line.includes('http'))).toHaveLength(1)
  })
})
