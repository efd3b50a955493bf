import { expect, test } from 'vitest'
import { compareManifest, type ScenarioEntry } from '../src/manifest.js'

const entry = (scenario: string, revision: ScenarioEntry['revision']): ScenarioEntry => ({
  scenario,
  revision,
  node: 'pass',
  chromium: 'pass',
})

test('a manifest is whole that has each scenario at each revision it is for', () => {
  const offered = [
    { name: 'call', tags: ['2025-06-18', '2025-11-25', '2026-07-28'] },
    { name: 'retry', tags: ['2025-11-25'] },
    { name: 'skills', tags: ['extension'] },
    { name: 'auth/oldest', tags: ['2025-03-26'] },
  ]
  const entries = [
    entry('call', '2025-11-25'),
    entry('call', '2026-07-28'),
    entry('retry', '2025-11-25'),
    entry('skills', '2026-07-28'),
    entry('auth/oldest', '2025-03-26'),
  ]
  expect(compareManifest(entries, offered)).toEqual([])
})

test('what the suite has more, what it has no more, and what is there twice, are told', () => {
  const offered = [{ name: 'call', tags: ['2025-11-25', '2026-07-28'] }]
  const entries = [entry('call', '2025-11-25'), entry('call', '2025-11-25'), entry('gone', '2026-07-28')]
  expect(compareManifest(entries, offered)).toEqual([
    'the suite has call at 2026-07-28, the manifest has not',
    'the manifest has gone at 2026-07-28, the suite has not',
    'the manifest has call at 2025-11-25 twice',
  ])
})
