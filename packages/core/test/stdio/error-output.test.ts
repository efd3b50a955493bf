import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { readErrorOutput } from '../../src/stdio/error-output.js'
import { open, textOf } from './scripted.js'

/** What is told of an output that comes in these pieces, each at its time in milliseconds. */
async function told(pieces: [ms: number, text: string | Buffer][]): Promise<string[]> {
  let now = 0
  const lines: string[] = []
  const stderr = new PassThrough()
  readErrorOutput(
    stderr,
    () => now,
    (line) => lines.push(line),
  )
  for (const [ms, text] of pieces) {
    now = ms
    stderr.write(text)
    await new Promise(setImmediate)
  }
  stderr.end()
  await new Promise((resolve) => stderr.once('close', resolve))
  return lines
}

test('it is told line by line, the last one too', async () => {
  expect(
    await told([
      [0, 'one\r\ntwo'],
      [1, ' and more\n\nthree'],
    ]),
  ).toEqual(['one', 'two and more', 'three'])
})

test('orders to a terminal are left out, and what people can not see', async () => {
  expect(await told([[0, '\x1b[31mred\x1b[0m \x1b]0;title\x07text\x1b[2J\u202eback\u200b \x9b1mbold\x00\n']])).toEqual([
    'red textback bold',
  ])
})

test('what is not UTF-8 does not end it', async () => {
  expect(
    await told([
      [0, Buffer.from([0x61, 0xff, 0x62, 0x0a])],
      [1, 'next\n'],
    ]),
  ).toEqual(['a\ufffdb', 'next'])
})

test('a long line is cut', async () => {
  const [line, next] = await told([[0, `${'x'.repeat(100_000)}\nnext\n`]])
  expect(line).toBe(`${'x'.repeat(4_096)}… (cut)`)
  expect(next).toBe('next')
})

test('of too many lines at once some are left out, and how many is told', async () => {
  const lines = await told([
    [0, 'line\n'.repeat(1_200)],
    [999, 'line\n'],
    [1_000, 'after\n'],
  ])
  expect(lines).toHaveLength(502)
  expect(lines.slice(500)).toEqual(['(701 more lines were left out: there were too many at once)', 'after'])
})

test('100 MB of it take little memory, tell little, and never hold the server up', async () => {
  const { client, events } = await open()
  expect(await textOf(client.callTool('echo', { value: 'warm' }))).toBe('warm')
  const before = process.memoryUsage().rss
  const line = `${'flood '.repeat(16)}\n`
  const text = line.repeat(Math.ceil(1_000_000 / line.length))
  expect(await textOf(client.callTool('error output', { text, times: 100 }))).toBe('done')
  expect(process.memoryUsage().rss - before).toBeLessThan(80_000_000)
  const logs = events.flatMap((event) => (event.type === 'log' ? [String(event.data)] : []))
  expect(logs.length).toBeGreaterThan(100)
  expect(logs.join('').length).toBeLessThan(5_000_000)
  expect(await textOf(client.callTool('echo', { value: 'still there' }))).toBe('still there')
})

test('so does a line of 100 MB', async () => {
  const { client, events } = await open()
  const before = process.memoryUsage().rss
  await client.callTool('error output', { text: 'x'.repeat(1_000_000), times: 100 })
  await client.callTool('error output', { text: '\nend\n' })
  await expect.poll(() => events.flatMap((event) => (event.type === 'log' ? [event.data] : []))).toContain('end')
  expect(process.memoryUsage().rss - before).toBeLessThan(80_000_000)
})
