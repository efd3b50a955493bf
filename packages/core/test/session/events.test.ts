import { afterEach, describe, expect, test, vi } from 'vitest'
import type { ConnectionEvent, EventFilter } from '../../src/connection.js'
import { createEvents, type Wanted } from '../../src/session/events.js'
import { failOnUnhandled } from '../support/no-unhandled.js'

failOnUnhandled()
afterEach(() => {
  vi.restoreAllMocks()
})

const all: ConnectionEvent[] = [
  { type: 'state', state: { status: 'ready' } },
  { type: 'list-changed', list: 'tools' },
  { type: 'resource-updated', uri: 'a:b' },
  { type: 'log', level: 'info', data: 'i' },
  { type: 'log', level: 'error', data: 'e' },
  { type: 'finding', finding: { code: 'x', message: 'y' } },
  { type: 'authorization', step: 'asked' },
  { type: 'wire', phase: 'request', exchange: 1, httpMethod: 'POST', at: 0, method: 'ping', body: { a: 1 } },
]

function heard(filter: EventFilter): unknown[] {
  const events = createEvents()
  const seen: ConnectionEvent[] = []
  events.listen(filter, (event) => seen.push(event))
  for (const event of all) events.emit(event)
  return seen.map((event) => {
    if (event.type === 'wire') return event.body === undefined ? 'wire' : 'wire with body'
    return event.type === 'log' ? event.level : event.type
  })
}

describe('a filter lets through', () => {
  // Findings always: what was mended or left out must not go unseen.
  test.each<[EventFilter, string[]]>([
    [{}, ['finding']],
    [{ state: true }, ['state', 'finding']],
    [{ lists: true }, ['list-changed', 'finding']],
    [{ resources: ['a:b'] }, ['resource-updated', 'finding']],
    [{ resources: ['a:c'] }, ['finding']],
    [{ log: 'debug' }, ['info', 'error', 'finding']],
    [{ log: 'warning' }, ['error', 'finding']],
    [{ log: 'emergency' }, ['finding']],
    [{ authorization: true }, ['finding', 'authorization']],
    [{ wire: 'headers' }, ['finding', 'wire']],
    [{ wire: 'bodies' }, ['finding', 'wire with body']],
  ])('%j: %j', (filter, expected) => {
    expect(heard(filter)).toEqual(expected)
  })
})

test('wire events have nowhere to go while nobody wants them', () => {
  const events = createEvents()
  const stop = events.listen({ state: true, log: 'debug' }, () => {})
  expect(events.wire()).toBeUndefined()
  const stopWire = events.listen({ wire: 'headers' }, () => {})
  expect(events.wire()).toBeTypeOf('function')
  stopWire()
  stop()
  expect(events.wire()).toBeUndefined()
})

test('who stops listening hears no more, also of the event that is under way', () => {
  const events = createEvents()
  const seen: string[] = []
  events.listen({}, () => stop())
  const stop = events.listen({}, () => seen.push('second'))
  events.emit(all[5]!)
  stop()
  expect(seen).toEqual([])
})

test('who begins to listen during an event hears the next one', () => {
  const events = createEvents()
  const seen: string[] = []
  const stop = events.listen({}, () => {
    stop()
    events.listen({}, ({ type }) => seen.push(type))
  })
  events.emit(all[5]!)
  expect(seen).toEqual([])
  events.emit(all[5]!)
  expect(seen).toEqual(['finding'])
})

test('a listener that throws keeps nobody from hearing, and its error is shown', () => {
  const shown = vi.spyOn(console, 'error').mockImplementation(() => {})
  const fault = new Error('in the app')
  const events = createEvents()
  const seen: string[] = []
  events.listen({}, () => {
    throw fault
  })
  events.listen({}, ({ type }) => seen.push(type))
  expect(() => events.emit(all[5]!)).not.toThrow()
  expect(seen).toEqual(['finding'])
  expect(shown).toHaveBeenCalledExactlyOnceWith(fault)
})

describe('what is wanted', () => {
  test('is what all who listen want together, told at once and when it changes', () => {
    const events = createEvents()
    const stops = [events.listen({ lists: true, resources: ['b:', 'a:'] }, () => {})]
    const told: Wanted[] = []
    events.onInterest((wanted) => told.push(wanted))
    stops.push(events.listen({ log: 'error', resources: ['a:'] }, () => {}))
    stops.push(events.listen({ log: 'info', state: true }, () => {}))
    stops.push(events.listen({ log: 'warning', lists: true, wire: 'bodies' }, () => {}))
    for (const stop of stops) stop()
    expect(told).toEqual([
      { lists: true, resources: ['a:', 'b:'] },
      { lists: true, resources: ['a:', 'b:'], log: 'error' },
      { lists: true, resources: ['a:', 'b:'], log: 'info' },
      // The last one wants lists too.
      { lists: true, resources: ['a:'], log: 'info' },
      { lists: true, resources: [], log: 'info' },
      { lists: true, resources: [], log: 'warning' },
      { lists: false, resources: [] },
    ])
  })

  test('is not told again for one who wants no more than is wanted', () => {
    const events = createEvents()
    let told = 0
    events.onInterest(() => told++)
    events.listen({ lists: true }, () => {})
    events.listen({ lists: true, state: true }, () => {})()
    events.listen({ authorization: true, wire: 'headers' }, () => {})
    expect(told).toBe(2)
  })
})
