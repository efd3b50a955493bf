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
} satisfies Promises
