import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { coverage, idPattern, readReports, toLines } from '../../field-reports/reports.mjs'

const markdown = readFileSync(new URL('../../field-reports/reports.md', import.meta.url), 'utf8')

const reports = [
  { id: 'TR-60', title: 'No GET stream' },
  { id: 'TR-6', title: 'Another' },
  { id: 'CB-01', title: 'Hidden id' },
]
const passed = (name) => ({ name, outcome: 'passed' })
const failed = (name) => ({ name, outcome: 'failed' })

describe('the reports', () => {
  test('are 125, each once, with what is needed to test it', () => {
    const found = readReports(markdown)
    expect(found).toHaveLength(125)
    expect(new Set(found.map(({ id }) => id)).size).toBe(125)
    for (const section of markdown.split(/^### /m).slice(1)) {
      const fields = [...section.matchAll(/^- (\w+): \S/gm)].map(([, name]) => name)
      expect(fields, section.split('\n')[0]).toEqual(['era', 'input', 'right', 'source'])
    }
  })
})

describe('what the tests cover', () => {
  const statuses = (tests) => coverage(reports, tests).reports.map(({ status }) => status)

  test('none is open', () => {
    expect(statuses([passed('something else'), passed('XTR-60 and TR-60x and UTF-8')])).toEqual([
      'open',
      'open',
      'open',
    ])
  })

  test('one that has not run is open', () => {
    expect(statuses([{ name: 'TR-60 later', outcome: 'skipped' }])).toEqual(['open', 'open', 'open'])
  })

  test('passed is covered; an id is no beginning of another', () => {
    expect(statuses([passed('a describe TR-60: one behaviour')])).toEqual(['covered', 'open', 'open'])
  })

  test('one that failed among many is failing', () => {
    expect(statuses([passed('CB-01 a'), failed('CB-01 b'), passed('CB-01 c')])).toEqual(['open', 'open', 'failing'])
  })

  test('one test may cover two, and counts once for each', () => {
    const { reports: found } = coverage(reports, [passed('TR-60 and CB-01, and TR-60 again')])
    expect(found.map(({ tests }) => tests.length)).toEqual([1, 0, 1])
  })

  test('an id that there is not is named', () => {
    const covered = coverage(reports, [passed('TR-99 mistyped'), passed('SHA-256 is none')])
    expect(covered.strangers).toEqual([passed('TR-99 mistyped')])
    expect(toLines(covered).at(-2)).toBe('There is no such report: TR-99 mistyped')
  })

  test('is told with its tests, and counted in the last line', () => {
    const tests = [passed('TR-60 No GET stream 404 means none'), failed('elsewhere CB-01 b')]
    expect(toLines(coverage(reports, tests))).toEqual([
      'TR-60  covered  No GET stream',
      '       passed   404 means none',
      'TR-6   open     Another',
      'CB-01  failing  Hidden id',
      '       failed   elsewhere CB-01 b',
      '3 reports: 1 covered, 1 open, 1 failing',
    ])
  })
})

test('every id that is looked for has the form of one', () => {
  const pattern = new RegExp(`^${idPattern(readReports(markdown))}$`)
  for (const { id } of readReports(markdown)) expect(id).toMatch(pattern)
})
