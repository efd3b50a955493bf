import { equal, includes, rejects } from '../expect.js'
import { toolNames } from '../fixtures.js'
import { type Promises, pluck, textOf } from './reading.js'

export const toolSets = {
  async 'a set has each server’s tools under names of its own'({ connectAll, api, server, toolName }) {
    const echo = toolName('echo')
    const toolset = await connectAll({ left: server, right: { ...server, tools: { allow: [echo, 'missing'] } } })
    equal(toolset.tools.length, toolNames.length + 1, 'tools')
    equal(new Set(pluck(toolset.tools, 'name')).size, toolset.tools.length, 'names')
    equal(toolset.servers.right?.missing, ['missing'], 'allowed but missing')
    includes(toolset.tool('left', echo), { name: `left__${echo}`, server: 'left', tool: { name: echo } }, 'handle')
    equal(textOf(await toolset.call(`right__${echo}`, { text: 'r' })), 'r', 'a call by name')
    const error = await rejects(toolset.call('left__nothing'), api.ToolNameError, 'an unknown name')
    equal(error.code, 'ERR_MCP_TOOL_NAME', 'its code')
    const find = async () => toolset.tool('left', 'nothing')
    const { data } = await rejects(find(), api.ToolNameError, 'an unknown tool')
    includes(data, { server: 'left', tool: 'nothing' }, 'its data')
    const failing = toolset.call(`left__${toolName('rpc-error')}`)
    const named = await rejects(failing, api.JsonRpcError, 'an error in a set')
    includes(named.data, { server: 'left', tool: toolName('rpc-error') }, 'its data')
  },

  async 'one dead server leaves the others’ tools alone'({ connectAll, api, server, deadUrl, toolName }) {
    const toolset = await connectAll({ alive: server, dead: deadUrl })
    const owners = toolNames.map(() => 'alive')
    equal(pluck(toolset.tools, 'server'), owners, 'tools')
    equal(toolset.servers.alive?.state.status, 'ready', 'status of the living')
    includes(toolset.servers.dead?.state, { status: 'closed', error: { code: 'ERR_MCP_CONNECT' } }, 'state of the dead')
    const tools = await api.toTools(toolset)
    equal(textOf(await tools[`alive__${toolName('echo')}`]!.execute({ text: 'hi' })), 'hi', 'a call through the format')
  },

  async 'a call is asked for where the app is, and what was approved is what is sent'({
    connectAll,
    api,
    server,
    toolName,
  }) {
    const asked: object[] = []
    const toolset = await connectAll(
      { mine: server },
      {
        async approve(call) {
          asked.push({ server: call.server, tool: call.tool.name, args: call.args })
          return call.args.text === 'no' ? { deny: 'not this one' } : { args: { text: `${call.args.text}, approved` } }
        },
      },
    )
    const echo = toolset.tool('mine', toolName('echo'))
    equal(textOf(await echo.execute({ text: 'yes' })), 'yes, approved', 'what was sent')
    const { message, data } = await rejects(toolset.call(echo.name, { text: 'no' }), api.DeniedError, 'a denied call')
    equal(message.endsWith('not this one'), true, 'the reason')
    includes(data, { server: 'mine', tool: toolName('echo'), outcome: 'not-run' }, 'its data')
    const shown = (text: string) => ({ server: 'mine', tool: toolName('echo'), args: { text } })
    equal(asked, [shown('yes'), shown('no')], 'what was asked')
  },

  async 'functions of the app are tools of the set, and stay where the app is'({ connectAll, api, server, toolName }) {
    const called: object[] = []
    const inputSchema = { type: 'object' }
    const toolset = await connectAll({
      mine: server,
      app: api.localTools([
        { name: 'add', inputSchema, execute: ({ a, b }) => ({ sum: Number(a) + Number(b) }) },
        {
          name: 'fail',
          inputSchema,
          execute(args) {
            called.push(args)
            throw new Error('not today')
          },
        },
      ]),
    })
    equal(toolset.tools.length, toolNames.length + 2, 'tools')
    includes(await toolset.call('app__add', { a: 1, b: 2 }), { structuredContent: { sum: 3 } }, 'a result')
    const failed = await toolset.call('app__fail', { x: 1 })
    equal([failed.isError, textOf(failed)], [true, 'not today'], 'what it threw')
    equal(called, [{ x: 1 }], 'its arguments')
    equal(textOf(await toolset.call(`mine__${toolName('echo')}`, { text: 'hi' })), 'hi', 'a server’s tool beside it')
  },
} satisfies Promises
