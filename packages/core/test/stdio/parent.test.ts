import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { describe, expect, onTestFinished, test } from 'vitest'
import { isAlive, scripted } from './scripted.js'

const parent = fileURLToPath(new URL('fixtures/parent.ts', import.meta.url))

/** Runs a process with a local server, which itself has started something, until it has ended. */
async function run(ending: string, behaviour: string, signal?: NodeJS.Signals) {
  const { command, args } = scripted(behaviour)
  const child = spawn(process.execPath, ['--import', 'tsx', parent, ending, command, ...args!], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const exited = once(child, 'exit')
  onTestFinished(() => void child.kill('SIGKILL'))
  const lines: string[] = []
  for await (const line of createInterface({ input: child.stdout })) {
    lines.push(line)
    if (line.startsWith('ready') && signal) child.kill(signal)
  }
  const [code, endedBy] = await exited
  const pids =
    lines
      .find((line) => line.startsWith('ready'))
      ?.split(' ')
      .slice(1)
      .map(Number) ?? []
  return { pids, code, endedBy, lines }
}

const endings = [
  ['process.exit', 'stubborn', undefined, 3, null],
  ['an uncaught exception', 'good', undefined, 1, null],
  ['an unhandled rejection', 'stubborn', undefined, 1, null],
  ['SIGINT', 'good', 'SIGINT', null, 'SIGINT'],
  ['SIGTERM', 'stubborn', 'SIGTERM', null, 'SIGTERM'],
  ['SIGHUP', 'good', 'SIGHUP', null, 'SIGHUP'],
  ['SIGINT beside those who only clean up', 'good', 'SIGINT', null, 'SIGINT'],
  ['SIGINT beside another copy of this package', 'good', 'SIGINT', null, 'SIGINT'],
  ['its own handler of SIGTERM', 'good', 'SIGTERM', 7, null],
] as const

describe('no server outlives a process that ends by', () => {
  test.each(endings)('%s (the server is %s)', async (ending, behaviour, signal, code, endedBy) => {
    const ended = await run(ending, behaviour, signal)
    expect(ended).toMatchObject({ code, endedBy })
    expect(ended.pids).toHaveLength(2)
    for (const pid of ended.pids) await expect.poll(() => isAlive(pid)).toBe(false)
    if (ending.startsWith('its own')) expect(ended.lines).toContain('handled')
    if (ending.endsWith('clean up')) expect(ended.lines.filter((line) => line === 'cleaned up')).toHaveLength(2)
    if (ending.includes('another copy')) expect(ended.lines.slice(1)).toEqual(['asked to end', 'killed'])
  })
})
