import { describe, expect, test } from 'vitest'
import { compareManifest, type NotYet, notYet, reasonFor } from '../src/manifest.js'
import { servers } from '../src/servers.js'
import { stepNames } from '../src/steps/run-steps.js'
import { serverSteps } from '../src/steps/server-steps.js'

const entry: NotYet = { reason: 'tasks', servers: ['one', 'two'], steps: ['runs a task'] }
const known = new Map([
  ['one', ['connects', 'runs a task']],
  ['two', ['connects', 'runs a task']],
])

describe('the manifest', () => {
  test('names only servers and steps that there are', () => {
    const all = new Map(servers.map(({ name, cors }) => [name, stepNames(name, cors === 'added')]))
    expect(compareManifest(notYet, all)).toEqual([])
  })

  test('is told of a step that there is not', () => {
    expect(compareManifest([{ ...entry, steps: ['runs tasks'] }], known)).toEqual([
      'the manifest has one: runs tasks, which there is not',
      'the manifest has two: runs tasks, which there is not',
    ])
  })

  test('is told of a server that there is not', () => {
    expect(compareManifest([{ ...entry, servers: ['three'] }], known)).toHaveLength(1)
  })

  test('is told of a step that it has twice', () => {
    expect(compareManifest([entry, { ...entry, servers: ['two'] }], known)).toEqual([
      'the manifest has two: runs a task in node twice',
      'the manifest has two: runs a task in chromium twice',
    ])
  })

  test('has a step of two runtimes for two reasons', () => {
    const entries: NotYet[] = [
      { ...entry, runtime: 'node', reason: 'a' },
      { ...entry, runtime: 'chromium', reason: 'b' },
    ]
    expect(compareManifest(entries, known)).toEqual([])
    expect(reasonFor(entries, 'one', 'runs a task', 'chromium')).toBe('b')
    expect(reasonFor(entries, 'one', 'connects', 'chromium')).toBeUndefined()
  })
})

test('every server has its steps, and no steps are without a server', () => {
  expect(Object.keys(serverSteps).sort()).toEqual(servers.map(({ name }) => name).sort())
})

test.each(servers)("no two of $name's steps have the same name, by which they are told apart", ({ name }) => {
  const names = stepNames(name, true)
  expect(names).toEqual([...new Set(names)])
})
