import { expect, test } from 'vitest'
import { toEvent } from '../../src/session/notifications.js'

test.each([
  ['notifications/tools/list_changed', undefined, { type: 'list-changed', list: 'tools' }],
  ['notifications/resources/list_changed', {}, { type: 'list-changed', list: 'resources' }],
  ['notifications/prompts/list_changed', { _meta: {} }, { type: 'list-changed', list: 'prompts' }],
  ['notifications/resources/updated', { uri: 'a:b' }, { type: 'resource-updated', uri: 'a:b' }],
  [
    'notifications/message',
    { level: 'error', logger: 'db', data: { a: 1 } },
    { type: 'log', level: 'error', logger: 'db', data: { a: 1 } },
  ],
  ['notifications/message', { level: 'loud', logger: 5, data: 'x' }, { type: 'log', level: 'info', data: 'x' }],
  ['notifications/message', undefined, { type: 'log', level: 'info', data: undefined }],
])('%s with %j', (method, params, event) => {
  expect(toEvent({ method, params })).toEqual(event)
})

test.each([
  ['notifications/resources/updated', { uri: 5 }],
  ['notifications/resources/updated', undefined],
  ['notifications/unknown', { uri: 'a:b' }],
  ['constructor', {}],
])('%s with %j tells nothing', (method, params) => {
  expect(toEvent({ method, params })).toBeUndefined()
})
