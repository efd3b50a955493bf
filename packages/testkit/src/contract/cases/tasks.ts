import type { ElicitationRequest } from '@x/core'
import { equal, includes, ok, rejection, rejects } from '../expect.js'
import { calls, during, type Promises, requests, textOf, timeToArriveMs } from './reading.js'

const release = { do: 'release', tool: 'task' } as const

export const tasks = {
  async 'a tool that runs only as a task is polled until it has its result'({ connect, control, toolName }) {
    const client = await connect()
    await client.listTools()
    const call = client.callTool(toolName('task'))
    await during(call, control.waitFor({ kind: 'request', method: 'tasks/get' }, 2))
    await control.act(release)
    equal(textOf(await call), '{}', 'result')
    equal((await calls(control, 'task')).length, 1, 'calls that ran')
  },

  async 'a tool that was never listed is known to be a task all the same'({ connect, control, toolName }) {
    const client = await connect()
    const call = client.callTool(toolName('task'))
    await during(call, control.waitFor({ kind: 'request', method: 'tasks/get' }))
    await control.act(release)
    equal(textOf(await call), '{}', 'result')
  },

  async 'what may be a task is none unless configured, or the server wants it so'(context) {
    const { connect, control, serverEra, toolName } = context
    const client = await connect()
    await client.listTools()
    const call = client.callTool(toolName('task-or-not'))
    await during(call, control.waitFor({ kind: 'call', tool: 'task-or-not' }))
    // The later revision leaves it to the server, and this one makes a task of it.
    if (serverEra === 'modern') await during(call, control.waitFor({ kind: 'request', method: 'tasks/get' }))
    await control.act(release)
    equal(textOf(await call), '{}', 'result')
    const polled = (await requests(control, 'tasks/get')).length > 0
    equal(polled, serverEra === 'modern', 'whether it was a task')
  },

  async 'what may be a task is one when configured'({ connect, control, serverEra, toolName }) {
    const client = await connect({ tasks: { optional: true } })
    await client.listTools()
    const call = client.callTool(toolName('task-or-not'))
    await during(call, control.waitFor({ kind: 'call', tool: 'task-or-not' }))
    const asked = (await requests(control, 'tools/call'))[0]?.asTask
    equal(asked, serverEra === 'legacy' ? true : undefined, 'whether a task was asked for')
    await during(call, control.waitFor({ kind: 'request', method: 'tasks/get' }))
    await control.act(release)
    equal(textOf(await call), '{}', 'result')
  },

  async 'a task that fails is a result, or the error that it met'({ connect, control, api, toolName }) {
    const client = await connect()
    await client.listTools()
    const failing = client.callTool(toolName('task'), { end: 'error' })
    const refused = rejects(client.callTool(toolName('task'), { end: 'rpc-error' }), api.JsonRpcError, 'the error')
    const both = Promise.all([failing, refused])
    await during(both, control.waitFor({ kind: 'call', tool: 'task' }, 2))
    await control.act(release)
    await both
    equal((await failing).isError, true, 'isError')
    includes((await refused).data, { rpcCode: -32050, tool: toolName('task') }, 'data of the error')
  },

  async 'what a task asks is answered by the hooks'({ connect, control, toolName }) {
    const seen: ElicitationRequest[] = []
    const client = await connect(
      {},
      {
        async elicit(request) {
          seen.push(request)
          return { action: 'accept', content: { name: 'Ada' } }
        },
      },
    )
    await client.listTools()
    const call = client.callTool(toolName('task'), { ask: true })
    await during(call, control.waitFor({ kind: 'answered', tool: 'task' }))
    await control.act(release)
    includes(JSON.parse(textOf(await call)), { form: { action: 'accept', content: { name: 'Ada' } } }, 'result')
    includes(seen, [{ mode: 'form', tool: toolName('task') }], 'what the hook was asked')
    equal(seen.length, 1, 'how often it was asked')
  },

  async 'a task that asks where nobody answers is told, and stopped'({ connect, control, api, path, toolName }) {
    const client = await connect()
    await client.listTools()
    // A gateway tells its caller as servers do.
    const errorClass = path === 'gateway' ? api.JsonRpcError : api.InputRequiredError
    const error = await rejects<Error>(client.callTool(toolName('task'), { ask: true }), errorClass, 'the call')
    includes(error, { data: { tool: toolName('task'), method: 'tools/call' } }, 'error')
    await control.waitFor({ kind: 'request', method: 'tasks/cancel' })
  },

  async 'an aborted task is cancelled on the server'({ connect, control, toolName }) {
    const client = await connect()
    await client.listTools()
    const abort = new AbortController()
    const reason = new Error('enough')
    const call = client.callTool(toolName('task'), {}, { signal: abort.signal })
    await during(call, control.waitFor({ kind: 'request', method: 'tasks/get' }))
    abort.abort(reason)
    ok((await rejection(call, 'the call')) === reason, 'rejected with something else than the signal’s reason')
    await control.waitFor({ kind: 'request', method: 'tasks/cancel' })
    await control.waitFor({ kind: 'aborted', tool: 'task' })
  },

  async 'a task that takes too long is cancelled on the server'(context) {
    const { connect, control, api, toolName } = context
    const limit = await timeToArriveMs(await connect(), context)
    const client = await connect({ tasks: { timeoutMs: limit } })
    await client.listTools()
    const call = client.callTool(toolName('task'), {}, { timeoutMs: 3 * limit })
    const { data } = await rejects(call, api.TimeoutError, 'the call')
    includes(data, { limit, tool: toolName('task') }, 'data')
    await control.waitFor({ kind: 'aborted', tool: 'task' })
  },

  async 'a task is asked about so often and no more'(context) {
    const { connect, control, api, toolName } = context
    const longMs = 6 * (await timeToArriveMs(await connect(), context))
    const client = await connect({ tasks: { maxPolls: 3 } })
    await client.listTools()
    const call = client.callTool(toolName('task'), {}, { timeoutMs: longMs })
    const { data } = await rejects(call, api.TimeoutError, 'the call')
    includes(data, { tool: toolName('task') }, 'data')
    equal((await requests(control, 'tasks/get')).length, 3, 'polls')
    await control.waitFor({ kind: 'aborted', tool: 'task' })
  },
} satisfies Promises
