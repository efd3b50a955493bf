import { expect, test } from 'vitest'
import { formatBytes, formatDuration } from '../../src/ui/format.js'

test.each([
  [0, '0 B'],
  [1023, '1023 B'],
  [1536, '1.5 KiB'],
  [33_554_432, '32 MiB'],
])('%i bytes are %s', (bytes, text) => {
  expect(formatBytes(bytes)).toBe(text)
})

test.each([
  [8, '8 ms'],
  [1_240, '1.24 s'],
  [12_340, '12.3 s'],
  [125_000, '2 min 5 s'],
])('%i ms are %s', (ms, text) => {
  expect(formatDuration(ms)).toBe(text)
})
