import { expect, test } from 'vitest'
import { runCell } from '../../src/contract/cell.js'
import { workerd } from '../../src/contract/hosts/workerd.js'
import { direct } from '../../src/contract/paths/direct.js'
import type { CaseName } from '../../src/contract/suite.js'

const name: CaseName = 'structured content is held to what its tool promises'

// workerd refuses to make code of text.
test.each(['modern', 'legacy'] as const)(
  'LS-99 in workerd a result of a %s server is checked',
  async (era) => {
    const row = { name: 'workerd', host: workerd, path: direct, eras: [] }
    const result = await runCell(row, { client: era, server: era }, (wanted) => wanted === name)
    expect(result).toEqual({ passed: 1, failures: [] })
  },
  60_000,
)
