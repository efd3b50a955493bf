import type { Progress } from '@x/core'
import { equal, includes, ok, rejects } from '../expect.js'
import { blobResource, failText, knownBytes, replyForms, rpcError, textResource } from '../fixtures.js'
import { bytesOf, calls, type Promises, pluck, requests, textOf } from './reading.js'

export const calling = {
  async 'a tool is called once and its result comes back'({ connect, control, toolName }) {
    const client = await connect()
    const result = await client.callTool(toolName('echo'), { text: 'hello' })
    equal(result, { ...result, content: [{ type: 'text', text: 'hello' }], findings: [] }, 'result')
    ok(!result.isError, 'isError')
    equal((await calls(control, 'echo')).length, 1, 'calls that ran')
  },

  async 'structured content and the tool that declares it'({ connect, toolName }) {
    const client = await connect()
    const tool = (await client.listTools()).find(({ name }) => name === toolName('add'))
    includes(tool?.outputSchema, { type: 'object', properties: { sum: { type: 'number' } } }, 'outputSchema')
    equal((await client.callTool(toolName('add'), { a: 2, b: 3 })).structuredContent, { sum: 5 }, 'structured content')
  },

  async 'structured content is held to what its tool promises'({ connect, toolName }) {
    const client = await connect()
    const told: unknown[] = []
    client.on('finding', ({ finding }) => told.push(finding))
    await client.listTools()
    equal((await client.callTool(toolName('add'), { a: 2, b: 3 })).findings, [], 'findings of what was promised')
    // What is no number is `null` in JSON.
    const { structuredContent, findings } = await client.callTool(toolName('add'), { a: 'two', b: 3 })
    equal(structuredContent, { sum: null }, 'structured content')
    includes(findings[0], { code: 'output-schema', path: '/structuredContent/sum' }, 'finding')
    equal(told, findings, 'what was told')
  },

  async 'every kind of content arrives byte for byte'({ connect, toolName }) {
    const { content, findings } = await (await connect()).callTool(toolName('content'))
    equal(findings, [], 'findings')
    equal(content.length, 6, 'blocks')
    const [text, image, audio, textual, binary, link] = content
    equal(text, { type: 'text', text: textResource.text }, 'text')
    equal(image, { type: 'image', mimeType: 'image/png', data: knownBytes.image }, 'image')
    equal(audio, { type: 'audio', mimeType: 'audio/wav', data: knownBytes.audio }, 'audio')
    equal(textual, { type: 'resource', resource: textResource }, 'text resource')
    equal(binary, { type: 'resource', resource: { ...blobResource, blob: knownBytes.blob } }, 'blob resource')
    includes(
      link,
      { type: 'resource_link', uri: textResource.uri, name: 'text', mimeType: 'text/plain', size: 41 },
      'link',
    )
  },

  async 'the bytes are the caller’s own'({ connect, toolName }) {
    const client = await connect()
    const first = bytesOf((await client.callTool(toolName('content'))).content)
    equal(pluck(first, 'length'), pluck(Object.values(knownBytes), 'length'), 'lengths')
    for (const bytes of first) bytes[0] = bytes[0]! ^ 0xff
    const [image, audio] = first
    const taken = structuredClone(image!, { transfer: [image!.buffer] })
    equal([taken.length, image!.length], [knownBytes.image.length, 0], 'lengths after the image was transferred')
    equal(audio?.subarray(1), knownBytes.audio.subarray(1), 'audio, after the image was transferred')
    equal(bytesOf((await client.callTool(toolName('content'))).content)[0], knownBytes.image, 'image of the next call')
  },

  async 'progress comes in order, and all of it before the result'({ connect, toolName }) {
    const client = await connect()
    for (const tool of ['progress', 'burst']) {
      const seen: unknown[] = []
      const onProgress = ({ progress, total }: Progress) => seen.push([progress, total])
      const result = await client.callTool(toolName(tool), { steps: 20 }, { onProgress })
      seen.push(result.content.length)
      equal(seen, [...Array.from({ length: 20 }, (_, index) => [index + 1, 20]), 1], tool)
    }
  },

  async 'a JSON-RPC error keeps its class, code and data'({ connect, api, url, toolName }) {
    const client = await connect()
    const tool = toolName('rpc-error')
    const error = await rejects(client.callTool(tool), api.JsonRpcError, 'the call')
    ok(error instanceof api.McpError && error instanceof Error && api.McpError.is(error), 'it is no McpError')
    equal([error.name, error.code], ['JsonRpcError', 'ERR_MCP_JSONRPC'], 'name and code')
    const data = { server: url, method: 'tools/call', tool, rpcCode: rpcError.code, rpcData: rpcError.data }
    includes(error.data, data, 'data')
    ok(error.message.includes(rpcError.message), `the message lacks the server’s: ${error.message}`)
    const unknown = await rejects(client.callTool(toolName('no-such-tool')), api.JsonRpcError, 'an unknown tool')
    includes(unknown.data, { rpcCode: -32602, tool: toolName('no-such-tool') }, 'data of an unknown tool')
  },

  async 'a tool’s own error is a result, and an error only for a model'({ connect, api, toolName }) {
    const result = await (await connect()).callTool(toolName('fail'))
    includes(result, { isError: true, content: [{ type: 'text', text: failText }] }, 'result')
    const toOutput = async () => api.toModelOutput(result, { tool: 'fail', server: 'here' })
    const error = await rejects(toOutput(), api.ToolError, 'toModelOutput')
    includes(error, { code: 'ERR_MCP_TOOL', data: { tool: 'fail', server: 'here' } }, 'error')
    ok(error.message.includes('fail') && error.message.includes(failText), `message: ${error.message}`)
  },

  async 'every legal form of reply is read'({ connect, toolName }) {
    const client = await connect()
    for (const form of replyForms) {
      const text = `${form}: grüße, 世界, 🦊, "\\\n"`
      equal(textOf(await client.callTool(toolName('reply'), { form, text })), text, form)
    }
  },

  async 'twenty calls at once get each its own answer'({ connect, toolName }) {
    const client = await connect()
    // The later a call, the sooner its answer.
    const texts = Array.from({ length: 20 }, (_, index) => `call ${index}`)
    const results = texts.map((text, index) => client.callTool(toolName('slow'), { ms: 5 * (20 - index), text }))
    equal((await Promise.all(results)).map(textOf), texts, 'answers')
  },

  async 'five megabytes go there and back'({ connect, toolName }) {
    const client = await connect()
    const text = 'grüße 🦊 0123456789 '.repeat(220_000).slice(0, 5_000_000)
    ok(textOf(await client.callTool(toolName('echo'), { text })) === text, 'the text came back changed')
  },

  async 'names and arguments outside ASCII'({ connect, connectAll, control, server, serverEra, toolName }) {
    const client = await connect()
    const text = 'ünïcödé \u0000 \u2028 𝕏'
    equal(textOf(await client.callTool(toolName('grüße-世界'), { text })), `grüße: ${text}`, 'result')
    const [request] = await requests(control, 'tools/call')
    // RFC 2047's form, in which revision 2026-07-28 wants what is not plain ASCII.
    equal(request?.mcpName, serverEra === 'modern' ? '=?base64?Z3LDvMOfZS3kuJbnlYw=?=' : undefined, 'Mcp-Name')
    const handle = (await connectAll({ here: server })).tool('here', toolName('grüße-世界'))
    ok(/^[a-zA-Z0-9_-]{1,64}$/.test(handle.name), `not legal for models: ${handle.name}`)
    equal(textOf(await handle.execute({ text: 'a' })), 'grüße: a', 'through the set')
  },
} satisfies Promises
