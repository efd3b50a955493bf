import { describe, expect, test } from 'vitest'
import type { NotYet } from '../src/manifest.js'
import { countRuns, drawMatrix, isAsExpected } from '../src/matrix.js'
import { judge } from '../src/verdict.js'

const entries: NotYet[] = [{ reason: 'tasks', servers: ['one'], steps: ['runs a task'] }]
const names = ['connects', 'runs a task']
const judged = (steps: { name: string; error?: string }[], faults: string[] = []) =>
  judge(entries, 'one', 'node', names, { steps, faults })

const fine = judged([{ name: 'connects' }, { name: 'runs a task', error: 'no tasks' }])
const run = (steps: typeof fine, runtime: 'node' | 'chromium' = 'node') => ({ server: 'one', runtime, steps })

describe('a verdict', () => {
  test('is as expected where what is not yet fails and the rest passes', () => {
    expect(fine).toEqual([
      { name: 'connects', verdict: 'pass' },
      { name: 'runs a task', verdict: 'not yet', detail: 'tasks' },
    ])
    expect(isAsExpected(run(fine))).toBe(true)
  })

  test('is stale where what is not yet passes', () => {
    const steps = judged([{ name: 'connects' }, { name: 'runs a task' }])
    expect(steps[1]).toEqual({ name: 'runs a task', verdict: 'stale', detail: 'tasks' })
    expect(isAsExpected(run(steps))).toBe(false)
  })

  test('is failed where a step fails, with what it said', () => {
    const steps = judged([
      { name: 'connects', error: 'refused' },
      { name: 'runs a task', error: 'no tasks' },
    ])
    expect(steps[0]).toEqual({ name: 'connects', verdict: 'failed', detail: 'refused' })
    expect(isAsExpected(run(steps))).toBe(false)
  })

  test('is failed where a step was not run', () => {
    expect(judged([])[0]).toEqual({ name: 'connects', verdict: 'failed', detail: 'it was not run' })
  })

  test('is failed where nobody caught an error, though all steps passed', () => {
    const steps = judged([{ name: 'connects' }, { name: 'runs a task', error: 'no tasks' }], ['uncaught'])
    expect(steps.at(-1)).toEqual({ name: 'no fault', verdict: 'failed', detail: 'uncaught' })
    expect(isAsExpected(run(steps))).toBe(false)
  })
})

describe('the matrix', () => {
  const stale = judged([{ name: 'connects', error: 'refused' }, { name: 'runs a task' }])

  test('has a cell for each runtime, and each reason with its steps', () => {
    expect(drawMatrix([run(fine), run(stale, 'chromium')], { other: 'needs OAuth' }).split('\n')).toEqual([
      'server  node                    chromium',
      'one     pass 1, not yet 1       FAILED 1, STALE 1',
      '',
      'not yet: tasks',
      '    runs a task: one',
      'not run: other: needs OAuth',
    ])
  })

  test('ends with what was counted', () => {
    expect(countRuns([run(fine), run(stale, 'chromium')])).toBe(
      '1 servers x 2 runtimes, 1 as expected, 4 steps, 1 not yet',
    )
  })
})
