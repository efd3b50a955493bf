import assert from 'node:assert/strict'
import { test } from 'node:test'
import { chat } from './chat.mjs'
import { expected } from './chat-expected.mjs'

test('an app is tested against @x/core/testing, without a network', async () => {
  assert.deepEqual(await chat(), expected)
})
