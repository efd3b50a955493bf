import { describe, expect, test, vi } from 'vitest'
import { postCloneable } from '../src/cloneable.js'
import { rejection } from './mcp-fetch.js'

/** As a port does: the data are cloned before anything is sent. */
const post = async <Data>(data: Data) => structuredClone(data)

/** As Vue, MobX and others wrap what is given to them: all the way down, when it is read. */
function reactive<Value extends object>(value: Value): Value {
  return new Proxy(value, {
    get: (target, key) => {
      const item = Reflect.get(target, key)
      return typeof item === 'object' && item !== null ? reactive(item) : item
    },
  })
}

test('plain data are posted as they are', async () => {
  const data = { a: [1, { b: null }], bytes: Uint8Array.of(1), at: new Date(0), none: undefined }
  expect(await postCloneable(data, post)).toEqual(data)
  const posted = vi.fn(post)
  await postCloneable(data, posted)
  expect(posted.mock.calls).toEqual([[data]])
  expect(posted.mock.calls[0]![0]).toBe(data)
})

describe('a framework’s proxy', () => {
  const data = { url: 'https://a/mcp', headers: { a: 'b' }, tools: { allow: ['x'] } }

  test.each([
    ['as the whole', reactive(data)],
    ['inside', { url: data.url, headers: reactive(data.headers), tools: { allow: reactive(data.tools.allow) } }],
  ])('%s is posted as the data behind it', async (_, given) => {
    expect(() => structuredClone(given)).toThrow()
    expect(await postCloneable(given, post)).toEqual(data)
  })

  test('around a ring is refused', async () => {
    const ring: { ring?: object } = {}
    ring.ring = ring
    expect(await rejection(postCloneable(reactive(ring), post))).toMatchObject({ code: 'ERR_MCP_CONFIG' })
  })
})

describe('what can’t be cloned is refused by its path', () => {
  class Secret {
    #value = 1
    get value() {
      return this.#value
    }
    method = () => {}
  }

  test.each<[what: string, data: object, path: string]>([
    ['a function', { headers: { a: () => 'b' } }, 'headers.a'],
    ['a symbol', { meta: { s: Symbol('s') } }, 'meta.s'],
    ['a promise that was not awaited', { auth: { type: 'bearer', token: Promise.resolve('t') } }, 'auth.token'],
    ['an element of a list', { a: [1, { b: [() => {}] }] }, 'a.1.b.0'],
    ['a WeakMap', { meta: new WeakMap() }, 'meta'],
    ['an object with a method', { meta: new Secret() }, 'meta'],
    ['a Map that holds a function', { meta: new Map([['a', () => {}]]) }, 'meta'],
    ['an abort signal’s function', { options: { onabort: function aborted() {} } }, 'options.onabort'],
    ['a function behind a proxy', reactive({ headers: { a: () => 'b' } }), 'headers.a'],
    ['a function in a ring', ringWithFunction(), 'ring.b'],
  ])('%s', async (_, data, path) => {
    const posted = vi.fn(post)
    const error = await rejection(postCloneable(data, posted))
    expect(error).toMatchObject({ code: 'ERR_MCP_CONFIG', data: { key: path } })
    expect(error.message).toContain(path)
    expect(error.cause).toMatchObject({ name: 'DataCloneError' })
    expect(posted).toHaveBeenCalledOnce()
  })

  function ringWithFunction() {
    const ring: { ring?: object; b?: () => void } = {}
    const inner = { ring, b: () => {} }
    ring.ring = inner
    return ring
  }
})

test.each([
  ['any other failure', new TypeError('elsewhere')],
  // As comlink gives on what was thrown at the other end: the data had arrived there.
  ['a failure of the worker’s own', Object.assign(new Error('there'), { name: 'DataCloneError' })],
])('%s is passed on, and nothing is posted twice', async (_, failure) => {
  const posted = vi.fn(() => Promise.reject(failure))
  expect(await rejection(postCloneable({}, posted))).toBe(failure)
  expect(posted).toHaveBeenCalledOnce()
})
