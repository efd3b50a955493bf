import { expect, test } from 'vitest'
import { takeToken } from '../src/gateway-token.js'

function page(hash: string) {
  const shown: unknown[] = []
  const location = { hash, pathname: '/app/', search: '?tool=echo' }
  const history = { state: null, replaceState: (_state: unknown, _title: string, url: string) => void shown.push(url) }
  return { page: { location, history } as unknown as Window, shown }
}

test.each([
  ['#token=a-b_c', 'a-b_c'],
  ['#token=', undefined],
])('%s is taken out of the address bar', (hash, token) => {
  const { page: window, shown } = page(hash)
  expect(takeToken(window)).toBe(token)
  expect(shown).toEqual(['/app/?tool=echo'])
})

test.each(['', '#', '#part'])('%j holds no token, and stays', (hash) => {
  const { page: window, shown } = page(hash)
  expect(takeToken(window)).toBeUndefined()
  expect(shown).toEqual([])
})
