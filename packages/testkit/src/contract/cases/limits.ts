import { equal, includes, ok, rejection, rejects } from '../expect.js'
import { floodBytes, gatewayResponseBytes } from '../fixtures.js'
import { calls, clientHead, hasSessions, type Promises, pluck, requests, textOf, timeToArriveMs } from './reading.js'

const mebibyte = 1024 * 1024

export const limits = {
  async 'an abort rejects with the caller’s reason, reaches the server, and harms no other call'(context) {
    const { connect, control, toolName } = context
    const client = await connect()
    const abort = new AbortController()
    const call = client.callTool(toolName('hang'), {}, { signal: abort.signal })
    await control.waitFor({ kind: 'call', tool: 'hang' })
    // Nothing that could be cloned: only the very same object will do.
    const reason = Object.assign(new Error('enough'), { uncloneable: () => {} })
    abort.abort(reason)
    ok((await rejection(call, 'the aborted call')) === reason, 'rejected with something else than the signal’s reason')
    await control.waitFor({ kind: 'aborted', tool: 'hang' })
    if (hasSessions(context)) await control.waitFor({ kind: 'request', method: 'notifications/cancelled' })
    await control.waitFor({ kind: 'cut', tool: 'hang' })
    equal(textOf(await client.callTool(toolName('echo'), { text: 'next' })), 'next', 'the next call')
    const told = (await requests(control, 'notifications/cancelled')).length
    equal(told, hasSessions(context) ? 1 : 0, 'how often notifications/cancelled was sent')
  },

  async 'a signal that is aborted already sends nothing'({ connect, control, toolName }) {
    const client = await connect()
    const reason = { why: 'too late' }
    const call = client.callTool(toolName('hang'), {}, { signal: AbortSignal.abort(reason) })
    ok((await rejection(call, 'the call')) === reason, 'rejected with something else than the signal’s reason')
    await client.callTool(toolName('echo'), { text: 'after' })
    equal(pluck(await requests(control, 'tools/call'), 'tool'), ['echo'], 'calls sent')
  },

  async 'timeoutMs ends a call, tells the server, and harms no other call'(context) {
    const { connect, control, api, url, toolName } = context
    const client = await connect()
    const timeoutMs = await timeToArriveMs(client, context)
    const tool = toolName('hang')
    const error = await rejects(client.callTool(tool, {}, { timeoutMs }), api.TimeoutError, 'the call')
    const data = { limit: timeoutMs, server: url, method: 'tools/call', tool, outcome: 'unknown' }
    includes(error, { code: 'ERR_MCP_TIMEOUT', data }, 'error')
    await control.waitFor({ kind: 'aborted', tool: 'hang' })
    if (hasSessions(context)) await control.waitFor({ kind: 'request', method: 'notifications/cancelled' })
    equal(textOf(await client.callTool(toolName('echo'), { text: 'next' })), 'next', 'the next call')
  },

  async 'callTimeoutMs of the configuration holds for every call'(context) {
    const { connect, control, api, toolName } = context
    const callTimeoutMs = await timeToArriveMs(await connect(), context)
    const client = await connect({ callTimeoutMs })
    const slow = { ms: callTimeoutMs + 50, text: 'in time' }
    const whole = await client.callTool(toolName('slow'), slow, { timeoutMs: null })
    equal(textOf(whole), 'in time', 'a call without a limit')
    const error = await rejects(client.callTool(toolName('hang')), api.TimeoutError, 'the call')
    equal(error.data.limit, callTimeoutMs, 'limit')
    await control.waitFor({ kind: 'aborted', tool: 'hang' })
  },

  async 'idleTimeoutMs counts from the last progress'({ connect, api, toolName }) {
    const client = await connect()
    const silent = client.callTool(toolName('hang'), {}, { idleTimeoutMs: 50 })
    const error = await rejects(silent, api.TimeoutError, 'a silent call')
    equal(error.data.limit, 50, 'limit')
    const options = { idleTimeoutMs: 10_000, timeoutMs: 20_000 }
    const steady = await client.callTool(toolName('progress'), { steps: 3 }, options)
    equal(textOf(steady), '3 steps', 'a call with progress')
  },

  async 'a call’s limit is 300 s unless configured, kept where the I/O runs'({ connect, control, toolName }) {
    const timers = async () => (await requests(control)).flatMap((entry) => clientHead(entry).timersMs ?? [])
    // Which of the two requests tells of the timer depends on which comes first, timer or request.
    const callTwice = async (client: Awaited<ReturnType<typeof connect>>) => {
      for (const text of ['one', 'two']) await client.callTool(toolName('echo'), { text })
    }
    await callTwice(await connect())
    const asked = await timers()
    ok(asked.includes(300_000) && !asked.includes(123_456), `timers by default: ${asked}`)
    await callTwice(await connect({ callTimeoutMs: 123_456 }))
    ok((await timers()).includes(123_456), `timers as configured: ${await timers()}`)
  },

  async 'a reply past maxResponseBytes is cut while it streams'({ connect, control, api, url, path, toolName }) {
    const client = await connect({ maxResponseBytes: mebibyte })
    const tool = toolName('flood')
    // A gateway has read a reply whole before it passes it on.
    const whole = path === 'gateway' ? { bytes: gatewayResponseBytes / 2 } : {}
    for (const form of ['json', 'sse', 'gzip']) {
      const error = await rejects(client.callTool(tool, { form, ...whole }), api.TooLargeError, form)
      const data = { limit: mebibyte, server: url, method: 'tools/call', tool }
      includes(error, { code: 'ERR_MCP_TOO_LARGE', data }, `${form}: error`)
      equal(textOf(await client.callTool(toolName('echo'), { text: form })), form, `${form}: the next call`)
      // Nor is there a way to have a process stop writing: the rest of the line is skipped.
      if (path === 'gateway' || path === 'stdio') continue
      if (form === 'gzip') continue // so small on the wire that all of it may have been sent
      const cuts = await control.waitFor({ kind: 'cut', tool: 'flood' }, form === 'json' ? 1 : 2)
      const sent = cuts.at(-1)?.bytes ?? floodBytes
      ok(sent < floodBytes / 2, `${form}: the server had sent ${sent} bytes when it was told to stop`)
    }
    const { content } = await client.callTool(toolName('big'), { bytes: mebibyte / 2 })
    equal(content.length, 1, 'a smaller reply')
  },

  async 'a reply past the gateway’s own limit is cut there, and the client is told'({
    connect,
    control,
    api,
    toolName,
  }) {
    const client = await connect()
    for (const [index, form] of ['json', 'sse'].entries()) {
      const error = await rejects(client.callTool(toolName('flood'), { form }), api.JsonRpcError, form)
      const rpcData = { code: 'ERR_MCP_TOO_LARGE', server: 'contract', outcome: 'unknown' }
      includes(error.data, { rpcCode: -32603, rpcData }, `${form}: data`)
      const cuts = await control.waitFor({ kind: 'cut', tool: 'flood' }, index + 1)
      const sent = cuts.at(-1)?.bytes ?? floodBytes
      ok(sent < floodBytes / 2, `${form}: the server had sent ${sent} bytes when it was told to stop`)
    }
    equal((await calls(control, 'flood')).length, 2, 'calls that ran')
  },
} satisfies Promises
