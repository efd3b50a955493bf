import { type CallToolResult, TimeoutError } from '@x/web'
import { expect, test } from 'vitest'
import { createPlaygroundStore } from '../../src/store/playground-store.js'
import { emptySettings } from '../../src/store/settings.js'
import { keptProgress, keptRuns, latestRun } from '../../src/store/state.js'
import { type ClientScript, createScriptedClient } from './scripted-client.js'

async function connected(call: NonNullable<ClientScript['call']>) {
  const { client } = createScriptedClient({ call })
  let time = 0
  const store = createPlaygroundStore(
    {
      connect: async () => client,
      pageUrl: 'https://play.example/',
      fetch: () => Promise.reject(new Error('was fetched')),
      rememberUrl: () => {},
      now: () => (time += 10),
    },
    { ...emptySettings, url: 'https://mcp.example/mcp' },
  )
  await store.actions.connect()
  return { store, run: () => latestRun(store.getState().runs, 'tool', 'work') }
}

const result: CallToolResult = { content: [{ type: 'text', text: 'done' }], findings: [] }

test('a run has what was sent, what came and how long it took', async () => {
  const { store, run } = await connected(async () => result)
  await store.actions.callTool('work', { a: 1 })
  expect(run()).toMatchObject({ kind: 'tool', status: 'done', args: { a: 1 }, result, tookMs: 10 })
})

test('progress is kept in the order of arrival, the newest of very much', async () => {
  const { store, run } = await connected(async (_name, { onProgress }) => {
    for (let step = 1; step <= keptProgress + 3; step += 1) onProgress?.({ progress: step })
    return result
  })
  await store.actions.callTool('work', {})
  expect(run()?.progressCount).toBe(keptProgress + 3)
  expect(run()?.progress.map(({ progress }) => progress)).toEqual(
    Array.from({ length: keptProgress }, (_, index) => index + 4),
  )
})

test('a tool’s own failure is no failure of the call', async () => {
  const { store, run } = await connected(async () => ({ ...result, isError: true }))
  await store.actions.callTool('work', {})
  expect(run()).toMatchObject({ status: 'tool-error', result: { isError: true } })
})

test('a failed call leaves its error, and the next one works', async () => {
  let fail = true
  const { store, run } = await connected(async () => {
    if (fail) throw new TimeoutError('too slow', { data: { limit: 5 } })
    return result
  })
  await store.actions.callTool('work', {})
  expect(run()).toMatchObject({ status: 'failed', error: { code: 'ERR_MCP_TIMEOUT', data: { limit: 5 } } })
  fail = false
  await store.actions.callTool('work', {})
  expect(run()?.status).toBe('done')
  expect(store.getState().runs).toHaveLength(2)
})

test('cancelling aborts the call, and only that call', async () => {
  const { store, run } = await connected(
    (_name, { signal }) =>
      new Promise((_resolve, reject) => signal?.addEventListener('abort', () => reject(signal.reason))),
  )
  const first = store.actions.callTool('other', {})
  const second = store.actions.callTool('work', {})
  store.actions.cancel(run()?.id ?? 0)
  await second
  expect(run()?.status).toBe('cancelled')
  expect(latestRun(store.getState().runs, 'tool', 'other')?.status).toBe('running')
  store.actions.cancelAll()
  await first
  expect(latestRun(store.getState().runs, 'tool', 'other')?.status).toBe('cancelled')
})

test('only the newest runs are kept: their results hold bytes', async () => {
  const { store } = await connected(async () => result)
  for (let count = 0; count < keptRuns + 2; count += 1) await store.actions.callTool('work', { count })
  expect(store.getState().runs).toHaveLength(keptRuns)
  expect(store.getState().runs[0]).toMatchObject({ args: { count: keptRuns + 1 } })
})
