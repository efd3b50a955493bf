import { HttpError } from '@x/web'
import { expect, test } from 'vitest'
import { toErrorData } from '../../src/store/caught.js'

test('an error of the client keeps its code, its data and its causes', () => {
  const thrown = new HttpError('the server answered 500', { data: { status: 500 }, cause: new TypeError('inner') })
  expect(toErrorData(thrown)).toEqual({
    name: 'HttpError',
    message: 'the server answered 500',
    code: 'ERR_MCP_HTTP',
    data: { status: 500 },
    cause: { name: 'TypeError', message: 'inner' },
  })
})

test('whatever is thrown can be shown', () => {
  expect(toErrorData('a word')).toEqual({ name: 'Error', message: 'a word' })
  const endless = new Error('again')
  endless.cause = endless
  expect(toErrorData(endless).cause?.cause?.message).toBe('again')
})
