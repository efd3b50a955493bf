import type { CallToolResult, ConnectionState, ContentBlock, JsonObject, Progress, WireEvent } from '@x/core'
import type { ContractCase, ContractContext } from './contract-case.js'
import { equal, includes, ok, rejection, rejects } from './expect.js'
import {
  blobResource,
  credentials,
  failText,
  floodBytes,
  instructions,
  knownBytes,
  metaNoteKey,
  noteHeader,
  pageSize,
  promptNames,
  replyForms,
  resourceTemplates,
  resourceUris,
  rpcError,
  serverName,
  serverVersion,
  textResource,
  toolNames,
} from './fixtures.js'
import type { LogEntry } from './log.js'

const mebibyte = 1024 * 1024

/** Enough for a request to be at the server before its time is up, also on a busy machine. */
const timeoutMs = 200

/** What every host has to do in every era, by what is promised. */
const promises: Record<string, (context: ContractContext) => Promise<void>> = {
  async 'connect finds the era by itself and says what the server is'({ connect, era }) {
    const { state } = await connect()
    const protocolVersion = era === 'modern' ? '2026-07-28' : '2025-11-25'
    const server = {
      name: serverName,
      version: serverVersion,
      era,
      protocolVersion,
      transport: 'streamable-http',
      instructions,
    }
    includes(state, { status: 'ready', server }, 'state')
    includes(state.server?.capabilities, { tools: {}, resources: {}, prompts: {} }, 'capabilities')
  },

  async 'every list comes whole, whatever its pages'({ connect }) {
    const client = await connect()
    equal(pluck(await client.listTools(), 'name'), toolNames, 'tools')
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
    const error = await rejection(client.request('tools/list', { cursor: 'nowhere' }), 'an unknown cursor')
    includes(error, { code: 'ERR_MCP_JSONRPC', data: { rpcCode: -32602, method: 'tools/list' } }, 'its error')
  },

  async 'a tool is called once and its result comes back'({ connect, control }) {
    const client = await connect()
    const result = await client.callTool('echo', { text: 'hello' })
    equal(result, { ...result, content: [{ type: 'text', text: 'hello' }], findings: [] }, 'result')
    ok(!result.isError, 'isError')
    equal((await calls(control, 'echo')).length, 1, 'calls that ran')
  },

  async 'structured content and the tool that declares it'({ connect }) {
    const client = await connect()
    const tool = (await client.listTools()).find(({ name }) => name === 'add')
    includes(tool?.outputSchema, { type: 'object', properties: { sum: { type: 'number' } } }, 'outputSchema')
    equal((await client.callTool('add', { a: 2, b: 3 })).structuredContent, { sum: 5 }, 'structured content')
  },

  async 'every kind of content arrives byte for byte'({ connect }) {
    const { content, findings } = await (await connect()).callTool('content')
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

  async 'the bytes are the caller’s own'({ connect }) {
    const client = await connect()
    const first = bytesOf((await client.callTool('content')).content)
    equal(pluck(first, 'length'), pluck(Object.values(knownBytes), 'length'), 'lengths')
    for (const bytes of first) bytes[0] = bytes[0]! ^ 0xff
    const [image, audio] = first
    const taken = structuredClone(image!, { transfer: [image!.buffer] })
    equal([taken.length, image!.length], [knownBytes.image.length, 0], 'lengths after the image was transferred')
    equal(audio?.subarray(1), knownBytes.audio.subarray(1), 'audio, after the image was transferred')
    equal(bytesOf((await client.callTool('content')).content)[0], knownBytes.image, 'image of the next call')
  },

  async 'progress comes in order, and all of it before the result'({ connect }) {
    const client = await connect()
    for (const tool of ['progress', 'burst']) {
      const seen: unknown[] = []
      const onProgress = ({ progress, total }: Progress) => seen.push([progress, total])
      const result = await client.callTool(tool, { steps: 20 }, { onProgress })
      seen.push(result.content.length)
      equal(seen, [...Array.from({ length: 20 }, (_, index) => [index + 1, 20]), 1], tool)
    }
  },

  async 'an abort rejects with the caller’s reason, reaches the server, and harms no other call'({
    connect,
    control,
    era,
  }) {
    const client = await connect()
    const abort = new AbortController()
    const call = client.callTool('hang', {}, { signal: abort.signal })
    await control.waitFor({ kind: 'call', tool: 'hang' })
    // Nothing that could be cloned: only the very same object will do.
    const reason = Object.assign(new Error('enough'), { uncloneable: () => {} })
    abort.abort(reason)
    ok((await rejection(call, 'the aborted call')) === reason, 'rejected with something else than the signal’s reason')
    await control.waitFor({ kind: 'aborted', tool: 'hang' })
    if (era === 'legacy') await control.waitFor({ kind: 'request', method: 'notifications/cancelled' })
    await control.waitFor({ kind: 'cut', tool: 'hang' })
    equal(textOf(await client.callTool('echo', { text: 'next' })), 'next', 'the next call')
    const told = (await control.log()).some(({ method }) => method === 'notifications/cancelled')
    equal(told, era === 'legacy', 'whether notifications/cancelled was sent')
  },

  async 'a signal that is aborted already sends nothing'({ connect, control }) {
    const client = await connect()
    const reason = { why: 'too late' }
    const call = client.callTool('hang', {}, { signal: AbortSignal.abort(reason) })
    ok((await rejection(call, 'the call')) === reason, 'rejected with something else than the signal’s reason')
    await client.callTool('echo', { text: 'after' })
    equal(pluck(await requests(control, 'tools/call'), 'tool'), ['echo'], 'calls sent')
  },

  async 'a JSON-RPC error keeps its class, code and data'({ connect, api, url }) {
    const client = await connect()
    const error = await rejects(client.callTool('rpc-error'), api.JsonRpcError, 'the call')
    ok(error instanceof api.McpError && error instanceof Error && api.McpError.is(error), 'it is no McpError')
    equal([error.name, error.code], ['JsonRpcError', 'ERR_MCP_JSONRPC'], 'name and code')
    const data = {
      server: url,
      method: 'tools/call',
      tool: 'rpc-error',
      rpcCode: rpcError.code,
      rpcData: rpcError.data,
    }
    includes(error.data, data, 'data')
    ok(error.message.includes(rpcError.message), `the message lacks the server’s: ${error.message}`)
    const unknown = await rejects(client.callTool('no-such-tool'), api.JsonRpcError, 'an unknown tool')
    includes(unknown.data, { rpcCode: -32602, tool: 'no-such-tool' }, 'data of an unknown tool')
  },

  async 'a tool’s own error is a result, and an error only for a model'({ connect, api }) {
    const result = await (await connect()).callTool('fail')
    includes(result, { isError: true, content: [{ type: 'text', text: failText }] }, 'result')
    const toOutput = async () => api.toModelOutput(result, { tool: 'fail', server: 'here' })
    const error = await rejects(toOutput(), api.ToolError, 'toModelOutput')
    includes(error, { code: 'ERR_MCP_TOOL', data: { tool: 'fail', server: 'here' } }, 'error')
    ok(error.message.includes('fail') && error.message.includes(failText), `message: ${error.message}`)
  },

  async 'timeoutMs ends a call, tells the server, and harms no other call'({ connect, control, api, url, era }) {
    const client = await connect()
    await client.callTool('echo', { text: 'first' })
    const error = await rejects(client.callTool('hang', {}, { timeoutMs }), api.TimeoutError, 'the call')
    const data = { limit: timeoutMs, server: url, method: 'tools/call', tool: 'hang', outcome: 'unknown' }
    includes(error, { code: 'ERR_MCP_TIMEOUT', data }, 'error')
    await control.waitFor({ kind: 'aborted', tool: 'hang' })
    if (era === 'legacy') await control.waitFor({ kind: 'request', method: 'notifications/cancelled' })
    equal(textOf(await client.callTool('echo', { text: 'next' })), 'next', 'the next call')
  },

  async 'callTimeoutMs of the configuration holds for every call'({ connect, control, api }) {
    const client = await connect({ callTimeoutMs: timeoutMs })
    const slow = { ms: 2 * timeoutMs, text: 'in time' }
    equal(textOf(await client.callTool('slow', slow, { timeoutMs: null })), 'in time', 'a call without a limit')
    const error = await rejects(client.callTool('hang'), api.TimeoutError, 'the call')
    equal(error.data.limit, timeoutMs, 'limit')
    await control.waitFor({ kind: 'aborted', tool: 'hang' })
  },

  async 'idleTimeoutMs counts from the last progress'({ connect, api }) {
    const client = await connect()
    const error = await rejects(client.callTool('hang', {}, { idleTimeoutMs: 50 }), api.TimeoutError, 'a silent call')
    equal(error.data.limit, 50, 'limit')
    const steady = await client.callTool('progress', { steps: 3 }, { idleTimeoutMs: 10_000, timeoutMs: 20_000 })
    equal(textOf(steady), '3 steps', 'a call with progress')
  },

  async 'a call’s limit is 300 s unless configured, kept where the I/O runs'({ connect, control }) {
    const client = await connect()
    await client.callTool('echo', { text: 'one' })
    // Which of the two requests tells of the timer depends on which comes first, timer or request.
    await client.callTool('echo', { text: 'two' })
    const asked = await timers(control)
    ok(asked.includes(300_000) && !asked.includes(123_456), `timers by default: ${asked}`)
    const other = await connect({ callTimeoutMs: 123_456 })
    await other.callTool('echo', { text: 'one' })
    await other.callTool('echo', { text: 'two' })
    ok((await timers(control)).includes(123_456), `timers as configured: ${await timers(control)}`)
  },

  async 'a reply past maxResponseBytes is cut while it streams'({ connect, control, api, url }) {
    const client = await connect({ maxResponseBytes: mebibyte })
    for (const form of ['json', 'sse', 'gzip']) {
      const error = await rejects(client.callTool('flood', { form }), api.TooLargeError, form)
      const data = { limit: mebibyte, server: url, method: 'tools/call', tool: 'flood' }
      includes(error, { code: 'ERR_MCP_TOO_LARGE', data }, `${form}: error`)
      equal(textOf(await client.callTool('echo', { text: form })), form, `${form}: the next call`)
      if (form === 'gzip') continue // so small on the wire that all of it may have been sent
      const cuts = await control.waitFor({ kind: 'cut', tool: 'flood' }, form === 'json' ? 1 : 2)
      const sent = cuts.at(-1)?.bytes ?? floodBytes
      ok(sent < floodBytes / 2, `${form}: the server had sent ${sent} bytes when it was told to stop`)
    }
    equal((await client.callTool('big', { bytes: mebibyte / 2 })).content.length, 1, 'a smaller reply')
  },

  async 'every legal form of reply is read'({ connect }) {
    const client = await connect()
    for (const form of replyForms) {
      const text = `${form}: grüße, 世界, 🦊, "\\\n"`
      equal(textOf(await client.callTool('reply', { form, text })), text, form)
    }
  },

  async 'after close() every call is refused: client, handle, set and format'({
    connect,
    connectAll,
    api,
    url,
    control,
  }) {
    const client = await connect()
    await client.close()
    const toolset = await connectAll({ here: url })
    const handle = toolset.tool('here', 'echo')
    const formatted = (await api.toTools(toolset))[handle.name]
    const ofClient = (await api.toTools(await connectAll({ there: client }))).there__echo
    equal(ofClient, undefined, 'a tool of a closed client')
    await toolset.close()
    const args = { text: 'too late' }
    for (const [who, call] of Object.entries({
      client: () => client.callTool('echo', args),
      list: () => client.listTools(),
      handle: () => handle.execute(args),
      toolset: () => toolset.call(handle.name, args),
      format: () => formatted!.execute(args),
    })) {
      const error = await rejects(call(), api.DisconnectedError, who)
      if (who !== 'list') includes(error.data, { outcome: 'not-run' }, `${who}: data`)
    }
    equal(await calls(control, 'echo'), [], 'calls that ran')
  },

  async 'close() rejects what is pending, ends the session and can be repeated'({ connect, control, api, era }) {
    const client = await connect()
    const pending = client.callTool('hang')
    await control.waitFor({ kind: 'call', tool: 'hang' })
    const rejected = rejection(pending, 'the pending call')
    await Promise.all([client.close(), client.close()])
    await client.close()
    const error = await rejected
    ok(api.McpError.is(error), `it is no McpError: ${error}`)
    includes(error.data, { tool: 'hang', outcome: 'unknown' }, 'data')
    await control.waitFor({ kind: 'aborted', tool: 'hang' })
    equal(client.state.status, 'closed', 'status')
    const deletes = (await control.log()).filter(({ httpMethod }) => httpMethod === 'DELETE')
    const sessions = new Set(pluck(await requests(control, 'tools/call'), 'sessionId'))
    equal(pluck(deletes, 'sessionId'), era === 'legacy' ? [...sessions] : [], 'sessions deleted')
  },

  async 'connections of one host run at the same time and end one by one'({ connect, control, api, era }) {
    const [one, two] = await Promise.all([connect(), connect({ headers: { [noteHeader]: 'two' } })])
    const meeting = { parties: 2 }
    const met = await Promise.all([one.callTool('meet', meeting), two.callTool('meet', meeting)])
    equal(met.map(textOf), ['met 2', 'met 2'], 'two calls that can only end together')
    const seen = await requests(control, 'tools/call')
    equal(seen.map(({ headerNote }) => headerNote ?? '').sort(), ['', 'two'], 'each with its own headers')
    equal(new Set(pluck(seen, 'sessionId')).size, era === 'legacy' ? 2 : 1, 'sessions')
    await one.close()
    equal(textOf(await two.callTool('echo', { text: 'still here' })), 'still here', 'the other connection')
    await rejects(one.callTool('echo', { text: 'gone' }), api.DisconnectedError, 'the closed one')
  },

  async 'a host that is closed closes its connections, and no other host’s'({ connect, createHost, api, url }) {
    const stays = await connect()
    const host = createHost()
    const goes = await host.connect(url)
    await goes.callTool('echo', { text: 'here' })
    await host.close()
    equal(goes.state.status, 'closed', 'status')
    await rejects(goes.callTool('echo', { text: 'gone' }), api.DisconnectedError, 'a call')
    equal(textOf(await stays.callTool('echo', { text: 'here' })), 'here', 'the other host')
  },

  async 'credentials, headers and _meta go along with every request'({ connect, control }) {
    const options = { headers: { [noteHeader]: 'from config' }, meta: { [metaNoteKey]: 'of all' } }
    const client = await connect({ ...options, auth: { type: 'bearer', token: credentials.bearer } })
    await client.callTool('echo', { text: '' })
    await client.callTool('echo', { text: '' }, { meta: { [metaNoteKey]: 'of one' } })
    await client.close()
    const log = (await control.log()).filter(({ kind }) => kind === 'request')
    for (const entry of log)
      includes(entry, { credential: 'bearer', headerNote: 'from config' }, `${entry.httpMethod} ${entry.method}`)
    equal(pluck(await requests(control, 'tools/call'), 'metaNote'), ['of all', 'of one'], '_meta')
  },

  async 'an API key goes along in its own header'({ connect, control }) {
    const auth = { type: 'api-key', header: credentials.apiKeyHeader, value: credentials.apiKey } as const
    await (await connect({ auth })).callTool('echo', { text: '' })
    for (const entry of await control.log())
      if (entry.kind === 'request') equal(entry.credential, 'api-key', entry.method ?? '')
  },

  async 'the token hook runs where the app is'({ connect, control, url }) {
    const asked: JsonObject[] = []
    const token = async (context: { server: string; reason: 'first' | 'unauthorized' }) => {
      asked.push(context)
      return credentials.bearer
    }
    await (await connect({ auth: { type: 'bearer' } }, { token })).callTool('echo', { text: '' })
    equal(asked[0], { server: url, reason: 'first' }, 'what it was asked')
    equal((await requests(control, 'tools/call'))[0]?.credential, 'bearer', 'credential')
  },

  async 'the state is replaced at each change, and told'({ connect }) {
    const hooked: ConnectionState['status'][] = []
    const client = await connect({}, { onEvent: (event) => event.type === 'state' && hooked.push(event.state.status) })
    const before = client.state
    const heard: ConnectionState[] = []
    const closed = new Promise<void>((resolve) => {
      client.listen({ state: true }, (event) => {
        if (event.type !== 'state') return
        heard.push(event.state)
        if (event.state.status === 'closed') resolve()
      })
    })
    const unsubscribed: string[] = []
    client.listen({ state: true }, ({ type }) => unsubscribed.push(type))()
    await client.close()
    await closed
    equal([before.status, client.state.status], ['ready', 'closed'], 'before and after')
    equal(pluck(heard, 'status'), ['closed'], 'events')
    equal(client.state.server?.name, serverName, 'the server of a closed connection')
    equal(hooked, ['ready', 'closed'], 'events of the onEvent hook')
    equal(unsubscribed, [], 'events after unsubscribing')
  },

  async 'wire events tell of each exchange, without credentials'({ connect }) {
    const client = await connect({ auth: { type: 'bearer', token: credentials.bearer } })
    const seen: WireEvent[] = []
    const ended = new Promise<void>((resolve) => {
      client.listen({ wire: 'headers' }, (event) => {
        if (event.type !== 'wire') return
        seen.push(event)
        if (event.phase === 'end') resolve()
      })
    })
    await client.callTool('echo', { text: 'unseen' })
    await ended
    const [request, response] = ['request', 'response'].map((wanted) => seen.find(({ phase }) => phase === wanted))
    includes(request, { httpMethod: 'POST', method: 'tools/call' }, 'request')
    includes(response, { status: 200, exchange: request?.exchange }, 'response')
    const all = JSON.stringify(seen)
    ok(!all.includes(credentials.bearer) && !all.includes('unseen'), `more than heads: ${all}`)
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

  async 'a set has each server’s tools under names of its own'({ connectAll, api, url }) {
    const toolset = await connectAll({ left: url, right: { url, tools: { allow: ['echo', 'missing'] } } })
    equal(toolset.tools.length, toolNames.length + 1, 'tools')
    equal(new Set(pluck(toolset.tools, 'name')).size, toolset.tools.length, 'names')
    equal(toolset.servers.right?.missing, ['missing'], 'allowed but missing')
    includes(toolset.tool('left', 'echo'), { name: 'left__echo', server: 'left', tool: { name: 'echo' } }, 'handle')
    equal(textOf(await toolset.call('right__echo', { text: 'r' })), 'r', 'a call by name')
    const error = await rejects(toolset.call('left__nothing'), api.ToolNameError, 'an unknown name')
    equal(error.code, 'ERR_MCP_TOOL_NAME', 'its code')
    const find = async () => toolset.tool('left', 'nothing')
    includes(
      (await rejects(find(), api.ToolNameError, 'an unknown tool')).data,
      { server: 'left', tool: 'nothing' },
      'data',
    )
    const named = await rejects(toolset.call('left__rpc-error'), api.JsonRpcError, 'an error in a set')
    includes(named.data, { server: 'left', tool: 'rpc-error' }, 'its data')
  },

  async 'one dead server leaves the others’ tools alone'({ connectAll, api, url, deadUrl }) {
    const toolset = await connectAll({ alive: url, dead: deadUrl })
    equal(
      pluck(toolset.tools, 'server'),
      toolNames.map(() => 'alive'),
      'tools',
    )
    equal(toolset.servers.alive?.state.status, 'ready', 'status of the living')
    includes(toolset.servers.dead?.state, { status: 'closed', error: { code: 'ERR_MCP_CONNECT' } }, 'state of the dead')
    const tools = await api.toTools(toolset)
    equal(textOf(await tools.alive__echo!.execute({ text: 'hi' })), 'hi', 'a call through the format')
  },

  async 'a server that is not there is a ConnectError with its attempts'({ connect, api, deadUrl }) {
    const error = await rejects(connect({ url: deadUrl }), api.ConnectError, 'connect')
    includes(error, { code: 'ERR_MCP_CONNECT', data: { server: deadUrl } }, 'error')
    ok((error.data.attempts ?? []).length > 0, 'it lists no attempt')
    ok(error.cause instanceof Error, `its cause is lost: ${error.cause}`)
    await connect()
  },

  async 'connect’s signal stops connecting, and later the connection'({ connect, control, api, era }) {
    const reason = { why: 'changed my mind' }
    const stopped = await rejection(connect({}, { signal: AbortSignal.abort(reason) }), 'connect')
    ok(stopped === reason, 'rejected with something else than the signal’s reason')
    const abort = new AbortController()
    const client = await connect({}, { signal: abort.signal })
    const call = rejection(client.callTool('hang'), 'the pending call')
    await control.waitFor({ kind: 'call', tool: 'hang' })
    abort.abort(reason)
    await call
    await control.waitFor({ kind: 'aborted', tool: 'hang' })
    if (era === 'legacy') await control.waitFor({ kind: 'request', httpMethod: 'DELETE' })
    equal(client.state.status, 'closed', 'status')
    await rejects(client.callTool('echo', { text: '' }), api.DisconnectedError, 'a later call')
  },

  async 'twenty calls at once get each its own answer'({ connect }) {
    const client = await connect()
    // The later a call, the sooner its answer.
    const texts = Array.from({ length: 20 }, (_, index) => `call ${index}`)
    const results = texts.map((text, index) => client.callTool('slow', { ms: 5 * (20 - index), text }))
    equal((await Promise.all(results)).map(textOf), texts, 'answers')
  },

  async 'five megabytes go there and back'({ connect }) {
    const client = await connect()
    const text = 'grüße 🦊 0123456789 '.repeat(220_000).slice(0, 5_000_000)
    ok(textOf(await client.callTool('echo', { text })) === text, 'the text came back changed')
  },

  async 'a framework’s proxy around configuration and arguments is plain data'({ connect, control }) {
    const reactive = <Value extends object>(value: Value) => new Proxy(value, {})
    const client = await connect({ headers: reactive({ [noteHeader]: 'reactive' }) })
    equal(textOf(await client.callTool('echo', reactive({ text: 'proxied' }))), 'proxied', 'result')
    equal((await requests(control, 'tools/call'))[0]?.headerNote, 'reactive', 'header')
  },

  async 'names and arguments outside ASCII'({ connect, connectAll, control, url, era }) {
    const client = await connect()
    const text = 'ünïcödé \u0000 \u2028 𝕏'
    equal(textOf(await client.callTool('grüße-世界', { text })), `grüße: ${text}`, 'result')
    const [request] = await requests(control, 'tools/call')
    // RFC 2047's form, in which revision 2026-07-28 wants what is not plain ASCII.
    equal(request?.mcpName, era === 'modern' ? '=?base64?Z3LDvMOfZS3kuJbnlYw=?=' : undefined, 'Mcp-Name')
    const handle = (await connectAll({ here: url })).tool('here', 'grüße-世界')
    ok(/^[a-zA-Z0-9_-]{1,64}$/.test(handle.name), `not legal for models: ${handle.name}`)
    equal(textOf(await handle.execute({ text: 'a' })), 'grüße: a', 'through the set')
  },
}

/** The cases, in order; each has a server of its own. */
export const contractCases: readonly ContractCase[] = Object.entries(promises).map(([name, run]) => ({ name, run }))

function textOf(result: CallToolResult): string {
  const [block] = result.content
  return block?.type === 'text' ? block.text : `no text but ${block?.type}`
}

function pluck<Item, Key extends keyof Item>(items: readonly Item[], key: Key): Item[Key][] {
  return items.map((item) => item[key])
}

function bytesOf(content: ContentBlock[]): Uint8Array<ArrayBuffer>[] {
  return content.flatMap((block) => {
    if (block.type === 'image' || block.type === 'audio') return [block.data]
    return block.type === 'resource' && 'blob' in block.resource ? [block.resource.blob] : []
  })
}

type Control = ContractContext['control']

async function requests(control: Control, method: string): Promise<LogEntry[]> {
  return (await control.log()).filter((entry) => entry.kind === 'request' && entry.method === method)
}

async function calls(control: Control, tool: string): Promise<LogEntry[]> {
  return (await control.log()).filter((entry) => entry.kind === 'call' && entry.tool === tool)
}

async function timers(control: Control): Promise<number[]> {
  return (await control.log()).flatMap(({ timersMs = [] }) => timersMs)
}
