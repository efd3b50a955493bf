// tmcp, an implementation that shares no code with the SDK: revision 2026-07-28, and earlier ones with sessions.
import { createServer } from 'node:http'
import { Readable } from 'node:stream'
import { ZodJsonSchemaAdapter } from '@tmcp/adapter-zod'
import { HttpTransport } from '@tmcp/transport-http'
import { McpServer } from 'tmcp'
import { z } from 'zod'
import { ask, media, png, question, signIn, text, users } from './content.mjs'

const server = new McpServer(
  { name: 'tmcp', version: '1.0.0', description: 'tmcp' },
  {
    adapter: new ZodJsonSchemaAdapter(),
    instructions: 'Be kind.',
    capabilities: {
      tools: { listChanged: true },
      resources: { listChanged: true, subscribe: true },
      prompts: { listChanged: true },
      completions: {},
      logging: {},
    },
  },
)

const tool = (name, input, run, rest) => server.tool({ name, description: name, schema: z.object(input), ...rest }, run)

tool('echo', { text: z.string() }, async (args) => text(args.text))
tool('add', { a: z.number(), b: z.number() }, async ({ a, b }) => text(String(a + b)))
tool('media', {}, async () => ({ content: media }))
tool('fail', {}, async () => ({ ...text('it failed'), isError: true }))
tool('throw', {}, async () => {
  throw new Error('kaboom')
})
tool('count', { to: z.number() }, async ({ to }) => {
  for (let progress = 1; progress <= to; progress += 1) {
    server.log('info', `at ${progress}`, 'counter')
    server.progress(progress, to, `step ${progress}`)
  }
  return text(`counted to ${to}`)
})
tool('grow', { name: z.string() }, async ({ name }) => {
  tool(name, {}, async () => text('I am new'))
  return text('grown')
})
tool('touch', { uri: z.string() }, async ({ uri }) => {
  server.changed('resource', uri)
  return text('touched')
})

const replayable = { replayable: true }
tool(
  'ask',
  {},
  async () => {
    const { action, content } = await server.elicitation(ask, z.object({ name: z.string() }))
    return text(content ? `Hello ${content.name}` : action)
  },
  replayable,
)
tool('ask_url', {}, async () => text((await server.elicitation('Sign in', signIn)).action), replayable)
tool(
  'sample',
  {},
  async () => {
    const { model, content } = await server.message({ messages: [question], maxTokens: 10 })
    return text(`${model}: ${content.text}`)
  },
  replayable,
)

const greeting = { name: 'greeting', description: 'Text', uri: 'test://greeting' }
server.resource(greeting, (uri) => ({ contents: [{ uri, mimeType: 'text/plain', text: 'Hello!' }] }))
const picture = { name: 'picture', description: 'Bytes', uri: 'test://picture' }
server.resource(picture, (uri) => ({ contents: [{ uri, mimeType: 'image/png', blob: png }] }))
const complete = (value) => ({ completion: { values: users.filter((user) => user.startsWith(value)) } })
server.template(
  { name: 'user', description: 'A user', uri: 'test://users/{id}', complete: { id: complete } },
  (uri, { id }) => ({
    contents: [{ uri, text: `This is ${id}` }],
  }),
)
server.prompt(
  { name: 'greet', description: 'Greets', schema: z.object({ user: z.string() }), complete: { user: complete } },
  ({ user }) => ({
    messages: [{ role: 'user', content: { type: 'text', text: `Greet ${user}` } }],
  }),
)

const transport = new HttpTransport(server, { path: '/mcp', cors: true })

// It takes requests of the platform, and Node has its own.
createServer(async (incoming, outgoing) => {
  const gone = new AbortController()
  outgoing.on('close', () => gone.abort())
  const { method, headers, url } = incoming
  const body = method === 'POST' ? { body: Readable.toWeb(incoming), duplex: 'half' } : {}
  const request = new Request(`http://localhost${url}`, { method, headers, signal: gone.signal, ...body })
  const response = (await transport.respond(request)) ?? new Response(null, { status: 404 })
  outgoing.writeHead(response.status, Object.fromEntries(response.headers)).flushHeaders()
  if (response.body)
    Readable.fromWeb(response.body)
      .on('error', () => {})
      .pipe(outgoing)
  else outgoing.end()
}).listen(0)
