import { expect, test } from 'vitest'
import type { Json } from '../../src/protocol.js'
import { dialectOf } from '../../src/schema/dialect.js'

// The identifiers are those of the specifications' own meta-schemas.
test.each<[Json | undefined, string | undefined]>([
  [undefined, '2020-12'],
  [null, '2020-12'],
  ['https://json-schema.org/draft/2020-12/schema', '2020-12'],
  ['https://json-schema.org/draft/2020-12/schema#', '2020-12'],
  ['http://json-schema.org/draft/2020-12/schema', '2020-12'],
  ['https://json-schema.org/draft/2019-09/schema', '2019-09'],
  ['http://json-schema.org/draft/2019-09/schema#', '2019-09'],
  ['http://json-schema.org/draft-07/schema#', '7'],
  ['http://json-schema.org/draft-07/schema', '7'],
  ['https://json-schema.org/draft-07/schema#', '7'],
  ['http://json-schema.org/draft-04/schema#', undefined],
  ['https://json-schema.org/draft/2030-01/schema', undefined],
  ['https://example.com/my-dialect', undefined],
  ['constructor', undefined],
  ['', undefined],
  [7, undefined],
])('%j is %s', (named, dialect) => {
  expect(dialectOf(named === undefined ? {} : { $schema: named })).toBe(dialect)
})
