import { type ChildProcess, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'

const folder = fileURLToPath(new URL('..', import.meta.url))
const children = new Set<ChildProcess>()
let url: string

/** A program of this example, as it is run by hand. */
function start(file: string, args: string[] = [], env: Record<string, string> = {}) {
  const child = spawn(process.execPath, ['--import', 'tsx', file, ...args], {
    cwd: folder,
    env: { PATH: process.env.PATH, ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  children.add(child)
  let output = ''
  const looking = new Set<() => void>()
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
  const look = () => {
    for (const one of looking) one()
  }
  child.stdout.setEncoding('utf8').on('data', (text) => {
    output += text
    look()
  })
  return {
    ended,
    output: () => output,
    /** Resolves with what it has written that matches. */
    async says(pattern: RegExp): Promise<RegExpExecArray> {
      const said = new Promise<RegExpExecArray>((resolve) => {
        const one = () => {
          const found = pattern.exec(output)
          if (!found) return
          looking.delete(one)
          resolve(found)
        }
        looking.add(one)
        one()
      })
      const gone = ended.then(() => {
        throw new Error(`${file} has ended without saying ${pattern}: ${output}`)
      })
      return Promise.race([said, gone])
    },
    type: (line: string) => child.stdin.write(`${line}\n`),
    hangUp: () => child.stdin.end(),
  }
}

beforeEach(async () => {
  const server = start('src/serve.ts', [], { PORT: '0', PUBLIC_URL: 'https://booking.example' })
  url = (await server.says(/at (http\S+)\n/))[1]!
})

afterEach(async () => {
  await Promise.all(
    [...children].map((child) => {
      if (child.exitCode !== null || child.signalCode !== null) return undefined
      const closed = new Promise((resolve) => child.once('close', resolve))
      child.kill()
      return closed
    }),
  )
  children.clear()
})

describe.each(['2026-07-28', '2025-11-25'])('in revision %s', (revision) => {
  const call = (tool: string) => start('src/client.ts', [url, tool, revision])

  test('a form is filled in at the terminal, with its default where nothing is typed', async () => {
    const client = call('book_table')
    await client.says(/book_table of http\S+ asks: For how many, and when\?/)
    await client.says(/Guests \[2\]: /)
    client.type('')
    await client.says(/Day: /)
    client.type('2026-12-24')
    expect(await client.ended).toBe(0)
    expect(client.output()).toContain('book_table says: Booked: a table for 2 on 2026-12-24.')
  })

  test('a form is declined', async () => {
    const client = call('book_table')
    await client.says(/Guests \[2\]: /)
    client.type('no!')
    await client.ended
    expect(client.output()).toContain('Nothing was booked.')
  })

  test('a form is dismissed by a terminal that is closed', async () => {
    const client = call('book_table')
    await client.says(/Guests \[2\]: /)
    client.hangUp()
    await client.ended
    expect(client.output()).toContain('Nothing was booked.')
  })

  test.each([
    ['paid', 'Thank you, the deposit is paid.'],
    ['only looked at', 'The deposit has not been paid yet.'],
  ])('a page is shown whole, and visited: %s', async (what, said) => {
    const client = call('pay_deposit')
    const [, page] = await client.says(/A page of booking\.example: (https\S+)\n/)
    await client.says(/press Enter/)
    // Where the public address would lead.
    const visit = await fetch(new URL(new URL(page!).pathname, url), { method: what === 'paid' ? 'POST' : 'GET' })
    expect(visit.status).toBe(200)
    client.type('')
    expect(await client.ended).toBe(0)
    expect(client.output()).toContain(`pay_deposit says: ${said}`)
  })
})
