import { expect, test } from 'vitest'
import { hintsOf } from '../../src/views/tools/hints.js'

const tool = { name: 'a', inputSchema: {} }

test('nothing is claimed of a tool of which nothing was said', () => {
  expect(hintsOf(tool)).toEqual([])
  expect(hintsOf({ ...tool, annotations: {} })).toEqual([])
})

test('false is another claim than silence', () => {
  const labels = hintsOf({ ...tool, annotations: { readOnlyHint: false, destructiveHint: false } }).map(
    ({ label }) => label,
  )
  expect(labels).toEqual(['writes', 'not destructive'])
})
