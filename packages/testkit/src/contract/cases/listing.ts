import { equal, includes, rejection, rejects } from '../expect.js'
import {
  blobResource,
  knownBytes,
  pageSize,
  promptNames,
  resourceTemplates,
  resourceUris,
  textResource,
  toolNames,
} from '../fixtures.js'
import { type Promises, pluck } from './reading.js'

export const listing = {
  async 'every tool is listed, whatever the pages'({ connect, toolName }) {
    const client = await connect()
    equal(pluck(await client.listTools(), 'name'), toolNames.map(toolName), 'tools')
  },

  async 'every resource, template and prompt is listed, whatever the pages'({ connect }) {
    const client = await connect()
    equal(pluck(await client.listResources(), 'uri'), resourceUris, 'resources')
    const templates = await client.listResourceTemplates()
    equal(pluck(templates, 'uriTemplate'), resourceTemplates, 'templates')
    equal(pluck(await client.listPrompts(), 'name'), promptNames, 'prompts')
  },

  async 'a cursor gives that page as the server sent it'({ connect }) {
    const client = await connect()
    const cursor = `from-${pageSize}`
    const page = await client.request('tools/list', { cursor })
    equal(pluck(page.tools, 'name'), toolNames.slice(pageSize, 2 * pageSize), 'second page')
    equal(page.nextCursor, `from-${2 * pageSize}`, 'its cursor')
  },

  async 'a cursor that nobody gave is a JSON-RPC error'({ connect }) {
    const client = await connect()
    await client.listTools()
    const error = await rejection(client.request('tools/list', { cursor: 'nowhere' }), 'the list')
    includes(error, { code: 'ERR_MCP_JSONRPC', data: { rpcCode: -32602, method: 'tools/list' } }, 'its error')
  },

  async 'resources are read as text and as bytes'({ connect, api }) {
    const client = await connect()
    equal((await client.readResource(textResource.uri)).contents, [textResource], 'text')
    const blob = { ...blobResource, blob: knownBytes.blob }
    equal((await client.readResource(blobResource.uri)).contents, [blob], 'blob')
    const error = await rejects(client.readResource('contract://none'), api.JsonRpcError, 'an unknown resource')
    includes(error.data, { rpcCode: -32602, method: 'resources/read', rpcData: { uri: 'contract://none' } }, 'its data')
  },

  async 'prompts are filled in, and bring bytes too'({ connect }) {
    const client = await connect()
    const greeting = { role: 'user', content: { type: 'text', text: 'Greet Ada.' } }
    equal((await client.getPrompt('greet', { who: 'Ada' })).messages, [greeting], 'greet')
    const [, picture] = (await client.getPrompt('show')).messages
    const content = { type: 'image', mimeType: 'image/png', data: knownBytes.image }
    equal(picture, { role: 'assistant', content }, 'show')
    const completion = await client.complete({ type: 'ref/prompt', name: 'greet' }, { name: 'who', value: 'A' })
    equal(completion.values, ['Ada', 'Alan'], 'completion')
  },
} satisfies Promises
