import { afterEach, describe, expect, test, vi } from 'vitest'
import { createClient } from '../../src/client.js'
import type { McpConnection } from '../../src/connection.js'
import type { Tool } from '../../src/protocol.js'
import { createFakeServer, deferred, rejection, toolNamed } from '../fake-server.js'
import { createSet, namesOf, nextChange, thrown, url } from '../fake-set.js'

describe('the list', () => {
  test('joins every server’s tools under names of their own', async () => {
    const { toolset } = createSet({ a: createFakeServer('x', 'y'), b: createFakeServer('x') })
    await toolset.add('left', url('a'))
    await toolset.add('right', { url: url('b') })
    expect(namesOf(toolset)).toEqual(['left__x', 'left__y', 'right__x'])
    expect(toolset.tools.map(({ server, tool }) => [server, tool.name])).toEqual([
      ['left', 'x'],
      ['left', 'y'],
      ['right', 'x'],
    ])
  })

  test('gives the host the name, the configuration and the hooks', async () => {
    const token = async () => 't'
    const { toolset, opened } = createSet({ a: createFakeServer() }, { token })
    await toolset.add('left', new URL(url('a')))
    expect(opened).toMatchObject([{ name: 'left', config: { url: url('a') }, options: { token } }])
  })

  test('is a new array at each change and the same in between', async () => {
    const server = createFakeServer('x')
    const { toolset } = createSet({ a: server })
    const seen = new Set<unknown>([toolset.tools])
    await toolset.add('a', url('a'))
    expect(toolset.tools).toBe(toolset.tools)
    expect(toolset.servers).toBe(toolset.servers)
    seen.add(toolset.tools)
    await toolset.refresh()
    seen.add(toolset.tools)
    await toolset.remove('a')
    seen.add(toolset.tools)
    expect(seen.size).toBe(4)
  })

  test('keeps a tool’s handle while its list is the same', async () => {
    const a = createFakeServer('x')
    const { toolset } = createSet({ a, b: createFakeServer('y') })
    await toolset.add('a', url('a'))
    const [handle] = toolset.tools
    await toolset.add('b', url('b'))
    expect(toolset.tools[0]).toBe(handle)
  })

  test('fits useSyncExternalStore: each change is told after it can be seen', async () => {
    const { toolset } = createSet({ a: createFakeServer('x'), b: createFakeServer('y') })
    const snapshots: string[][] = []
    const stop = toolset.subscribe(() => snapshots.push(namesOf(toolset)))
    await toolset.add('a', url('a'))
    await toolset.add('b', url('b'))
    await toolset.remove('a')
    expect(snapshots).toEqual([[], ['a__x'], ['a__x'], ['a__x', 'b__y'], ['b__y']])
    stop()
    await toolset.remove('b')
    expect(snapshots).toHaveLength(5)
  })

  test('two subscriptions of one function end one by one', async () => {
    const { toolset } = createSet({ a: createFakeServer() })
    const listener = vi.fn()
    const [stop] = [toolset.subscribe(listener), toolset.subscribe(listener)]
    stop()
    await toolset.remove('nothing')
    expect(listener).not.toHaveBeenCalled()
    await toolset.add('a', url('a'))
    expect(listener).toHaveBeenCalledTimes(2)
  })

  test('a server that lists a name twice has it once, and it is said', async () => {
    const { toolset } = createSet({ a: createFakeServer(toolNamed('x', { title: 'first' }), toolNamed('x'), 'y') })
    await toolset.add('a', url('a'))
    expect(toolset.tools.map(({ name, title }) => [name, title])).toEqual([
      ['a__x', 'first'],
      ['a__y', 'y'],
    ])
    expect(toolset.servers.a?.leftOut).toEqual([{ name: 'x', reason: 'the server lists this name twice' }])
  })

  test.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])('a server may be called %s', async (name) => {
    const { toolset } = createSet({ a: createFakeServer('x', '__proto__') })
    expect(toolset.servers[name] === undefined || !Object.hasOwn(toolset.servers, name)).toBe(true)
    await toolset.add(name, url('a'))
    expect(Object.keys(toolset.servers)).toEqual([name])
    expect(Object.getOwnPropertyDescriptor(toolset.servers, name)?.value.state).toEqual({ status: 'ready' })
    expect(toolset.tool(name, '__proto__').server).toBe(name)
    expect(Object.getPrototypeOf({ ...toolset.servers })).toBe(Object.prototype)
  })
})

describe('adding', () => {
  test('a server that is not there rejects, and stays with its error until it is removed', async () => {
    const { toolset } = createSet({ a: createFakeServer('x') })
    await toolset.add('alive', url('a'))
    const error = await rejection(toolset.add('dead', url('nobody')))
    expect(error).toMatchObject({ code: 'ERR_MCP_CONNECT' })
    expect(namesOf(toolset)).toEqual(['alive__x'])
    expect(toolset.servers.dead).toEqual({
      state: { status: 'closed', error: expect.objectContaining({ code: 'ERR_MCP_CONNECT' }) },
      leftOut: [],
      missing: [],
      held: [],
    })
    expect(await rejection(toolset.add('dead', url('a')))).toMatchObject({ code: 'ERR_MCP_CONFIG' })
    await toolset.remove('dead')
    await toolset.add('dead', url('a'))
    expect(namesOf(toolset)).toEqual(['alive__x', 'dead__x'])
  })

  test('a server whose list fails stays connected, and a refresh mends it', async () => {
    const a = createFakeServer('x')
    const { list } = a
    a.list = () => Promise.reject(new Error('not now'))
    const { toolset } = createSet({ a })
    expect((await rejection(toolset.add('a', url('a')))).message).toBe('not now')
    expect(toolset.servers.a?.state).toMatchObject({ status: 'ready', error: { message: 'not now' } })
    a.list = list
    await toolset.refresh()
    expect(toolset.servers.a?.state).toEqual({ status: 'ready' })
    expect(namesOf(toolset)).toEqual(['a__x'])
  })

  test('shows the server as connecting meanwhile', async () => {
    const opening = deferred<McpConnection>()
    const { toolset } = createSet({ a: () => opening.promise })
    const added = toolset.add('a', url('a'))
    expect(toolset.servers.a?.state).toEqual({ status: 'connecting' })
    opening.resolve(createFakeServer('x').connection)
    await added
    expect(toolset.servers.a?.state).toEqual({ status: 'ready' })
    expect(toolset.servers.a?.client?.state).toEqual({ status: 'ready' })
  })

  test('a client that is open takes it as it is', async () => {
    const a = createFakeServer('x')
    const client = createClient(a.connection)
    const { toolset, opened } = createSet({})
    await toolset.add('mine', client)
    expect(opened).toEqual([])
    expect(toolset.servers.mine?.client).toBe(client)
    await toolset.call('mine__x')
    expect(a.calls).toHaveLength(1)
  })
})

describe('a live server', () => {
  test('that changes its list is followed, and every change is told', async () => {
    const a = createFakeServer('x')
    const { toolset } = createSet({ a })
    await toolset.add('a', url('a'))
    const changed = nextChange(toolset)
    a.list = () => [toolNamed('y')]
    a.emit({ type: 'list-changed', list: 'tools' })
    await changed
    expect(namesOf(toolset)).toEqual(['a__y'])
  })

  test('whose other lists change is not asked again', async () => {
    const a = createFakeServer('x')
    const { toolset } = createSet({ a })
    await toolset.add('a', url('a'))
    a.list = vi.fn(a.list)
    a.emit({ type: 'list-changed', list: 'prompts' })
    expect(a.list).not.toHaveBeenCalled()
  })

  test('whose old answer comes late does not undo the new one', async () => {
    const a = createFakeServer('x')
    const { toolset } = createSet({ a })
    await toolset.add('a', url('a'))
    const [old, late] = [deferred<Tool[]>(), deferred<Tool[]>()]
    const answers = [old, late]
    a.list = () => answers.shift()!.promise
    const refreshes = [toolset.refresh(), toolset.refresh()]
    late.resolve([toolNamed('new')])
    await refreshes[1]
    old.resolve([toolNamed('old')])
    await refreshes[0]
    expect(namesOf(toolset)).toEqual(['a__new'])
  })

  test('whose new list can’t be had keeps the old one, with the error', async () => {
    const a = createFakeServer('x')
    const { toolset } = createSet({ a })
    await toolset.add('a', url('a'))
    a.list = () => Promise.reject(new Error('not now'))
    await toolset.refresh()
    expect(namesOf(toolset)).toEqual(['a__x'])
    expect(toolset.servers.a?.state).toMatchObject({ status: 'ready', error: { message: 'not now' } })
  })

  test('that closes takes its tools along and leaves the others', async () => {
    const a = createFakeServer('x')
    const { toolset } = createSet({ a, b: createFakeServer('y') })
    await toolset.add('a', url('a'))
    await toolset.add('b', url('b'))
    const [handle] = toolset.tools
    a.setState({ status: 'closed', error: { name: 'Error', message: 'gone' } })
    expect(namesOf(toolset)).toEqual(['b__y'])
    expect(toolset.servers.a?.state).toMatchObject({ status: 'closed', error: { message: 'gone' } })
    expect(await rejection(handle!.execute())).toMatchObject({ code: 'ERR_MCP_DISCONNECTED' })
    await toolset.refresh()
    expect(toolset.servers.a?.state).toMatchObject({ error: { message: 'gone' } })
  })
})

describe('removing', () => {
  test('closes the connection and ends its tools', async () => {
    const a = createFakeServer('x')
    const { toolset } = createSet({ a })
    await toolset.add('files', url('a'))
    const handle = toolset.tool('files', 'x')
    await toolset.remove('files')
    expect(toolset.tools).toEqual([])
    expect(toolset.servers).toEqual({})
    expect([a.closings, a.listenerCount]).toEqual([1, 0])
    const error = await rejection(handle.execute())
    expect(error.message).toContain('"files"')
    expect(error).toMatchObject({
      code: 'ERR_MCP_DISCONNECTED',
      data: { server: 'files', tool: 'x', method: 'tools/call', outcome: 'not-run' },
    })
    expect(a.calls).toEqual([])
  })

  test('does not close a client that was passed in, but listens to it no more', async () => {
    const a = createFakeServer('x')
    const { toolset } = createSet({})
    await toolset.add('mine', createClient(a.connection))
    const handle = toolset.tool('mine', 'x')
    expect(a.listenerCount).toBeGreaterThan(0)
    await toolset.remove('mine')
    expect([a.closings, a.listenerCount]).toEqual([0, 0])
    expect(await rejection(handle.execute())).toMatchObject({ code: 'ERR_MCP_DISCONNECTED' })
    expect(a.calls).toEqual([])
  })

  test('an old handle stays ended when a server of that name comes back', async () => {
    const { toolset } = createSet({ a: createFakeServer('x'), b: createFakeServer('x') })
    await toolset.add('s', url('a'))
    const old = toolset.tool('s', 'x')
    await toolset.remove('s')
    await toolset.add('s', url('b'))
    expect(await rejection(old.execute())).toMatchObject({ code: 'ERR_MCP_DISCONNECTED' })
    await toolset.tool('s', 'x').execute()
  })

  test('while it connects stops the connecting', async () => {
    const { toolset, opened } = createSet({ a: () => new Promise(() => {}) })
    const added = rejection(toolset.add('a', url('a')))
    const { signal } = opened[0]!.options
    expect(signal?.aborted).toBe(false)
    await toolset.remove('a')
    expect(signal?.reason).toMatchObject({ code: 'ERR_MCP_DISCONNECTED', data: { server: 'a' } })
    expect(toolset.servers).toEqual({})
    void added
  })

  test('while it connects closes a connection that comes all the same', async () => {
    const opening = deferred<McpConnection>()
    const a = createFakeServer('x')
    const { toolset } = createSet({ a: () => opening.promise })
    const added = rejection(toolset.add('a', url('a')))
    await toolset.remove('a')
    opening.resolve(a.connection)
    expect(await added).toMatchObject({ code: 'ERR_MCP_DISCONNECTED', data: { server: 'a' } })
    expect([a.closings, a.listenerCount]).toEqual([1, 0])
    expect(toolset.servers).toEqual({})
  })
})

describe('closing', () => {
  test('closes what it opened, not clients that were passed in', async () => {
    const [a, mine] = [createFakeServer('x'), createFakeServer('y')]
    const { toolset } = createSet({ a })
    await toolset.add('a', url('a'))
    await toolset.add('mine', createClient(mine.connection))
    const handles = toolset.tools
    await toolset.close()
    expect([a.closings, mine.closings]).toEqual([1, 0])
    expect([a.listenerCount, mine.listenerCount]).toEqual([0, 0])
    expect(toolset.tools).toEqual([])
    for (const handle of handles)
      expect(await rejection(handle.execute())).toMatchObject({ code: 'ERR_MCP_DISCONNECTED' })
    expect(await rejection(toolset.call('mine__y'))).toMatchObject({ code: 'ERR_MCP_DISCONNECTED' })
    expect(thrown(() => toolset.tool('mine', 'y')).code).toBe('ERR_MCP_DISCONNECTED')
    expect(mine.calls).toEqual([])
  })

  test('closes a connection that is opened after it', async () => {
    const opening = deferred<McpConnection>()
    const a = createFakeServer('x')
    const { toolset, opened } = createSet({ a: () => opening.promise })
    const added = rejection(toolset.add('a', url('a')))
    const closed = toolset.close()
    expect(opened[0]?.options.signal?.aborted).toBe(true)
    await closed
    opening.resolve(a.connection)
    expect(await added).toMatchObject({ code: 'ERR_MCP_DISCONNECTED' })
    expect(a.closings).toBe(1)
    expect(toolset.tools).toEqual([])
  })

  test('does not wait for the list of a server that it closes', async () => {
    const a = createFakeServer()
    const [asked, listing] = [deferred(), deferred<Tool[]>()]
    a.list = () => {
      asked.resolve()
      return listing.promise
    }
    const { toolset } = createSet({ a })
    const added = rejection(toolset.add('a', url('a')))
    await asked.promise
    await toolset.close()
    listing.resolve([toolNamed('x')])
    expect(await added).toMatchObject({ code: 'ERR_MCP_DISCONNECTED' })
    expect(toolset.tools).toEqual([])
  })

  test('takes no more servers', async () => {
    const { toolset, opened } = createSet({ a: createFakeServer('x') })
    const closed = toolset.close()
    expect(await rejection(toolset.add('a', url('a')))).toMatchObject({ code: 'ERR_MCP_DISCONNECTED' })
    await closed
    await toolset.close()
    expect(opened).toEqual([])
  })

  test('is what disposing does', async () => {
    const a = createFakeServer('x')
    {
      await using toolset = createSet({ a }).toolset
      await toolset.add('a', url('a'))
    }
    expect(a.closings).toBe(1)
  })
})

describe('a signal', () => {
  test('ends what connects and what is connected, each with its reason', async () => {
    const abort = new AbortController()
    const { toolset, opened } = createSet({ a: createFakeServer('x') }, { signal: abort.signal })
    await toolset.add('a', url('a'))
    const reason = new Error('enough')
    abort.abort(reason)
    expect(opened[0]?.options.signal?.reason).toBe(reason)
    expect(await rejection(toolset.add('b', url('a')))).toBe(reason)
  })

  test('is listened to once, however many the servers, and no more after closing', async () => {
    const { signal } = new AbortController()
    const [added, removed] = [vi.spyOn(signal, 'addEventListener'), vi.spyOn(signal, 'removeEventListener')]
    const { toolset } = createSet({ a: createFakeServer('x') }, { signal })
    for (let count = 0; count < 12; count++) await toolset.add(`a${count}`, url('a'))
    expect(added).toHaveBeenCalledOnce()
    await toolset.close()
    expect(removed).toHaveBeenCalledOnce()
  })
})

describe('a subscriber that throws', () => {
  afterEach(() => vi.restoreAllMocks())

  test('harms no one, and is reported', async () => {
    const reported = vi.spyOn(console, 'error').mockImplementation(() => {})
    const { toolset } = createSet({ a: createFakeServer('x') })
    const fault = new Error('the view broke')
    toolset.subscribe(() => {
      throw fault
    })
    const heard = vi.fn()
    toolset.subscribe(heard)
    await toolset.add('a', url('a'))
    expect(namesOf(toolset)).toEqual(['a__x'])
    expect(heard).toHaveBeenCalledTimes(2)
    expect(reported.mock.calls).toEqual([[fault], [fault]])
    await toolset.close()
    expect(heard).toHaveBeenCalledTimes(3)
  })
})

test('authorizing is for the server named', async () => {
  const a = createFakeServer('x')
  const authorize = vi.spyOn(a.connection, 'authorize')
  const { toolset } = createSet({ a })
  await toolset.add('a', url('a'))
  await toolset.authorize('a')
  expect(authorize).toHaveBeenCalledOnce()
  expect(await rejection(toolset.authorize('b'))).toMatchObject({ code: 'ERR_MCP_DISCONNECTED', data: { server: 'b' } })
})
