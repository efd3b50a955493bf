// fastmcp over Streamable HTTP, with sessions.
import { FastMCP, UserError } from 'fastmcp'
import { z } from 'zod'
import { ask, media, png, question, signIn, users } from './content.mjs'

const server = new FastMCP({ name: 'fastmcp', version: '1.0.0', instructions: 'Be kind.' })
const form = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] }

const tool = (name, parameters, execute) => server.addTool({ name, parameters: z.object(parameters), execute })
const sessionOf = (id) => server.sessions.find(({ sessionId }) => sessionId === id)

tool('echo', { text: z.string() }, async (args) => args.text)
tool('add', { a: z.number(), b: z.number() }, async ({ a, b }) => String(a + b))
tool('media', {}, async () => ({ content: media }))
tool('fail', {}, async () => {
  throw new UserError('it failed')
})
tool('throw', {}, async () => {
  throw new Error('kaboom')
})
tool('count', { to: z.number() }, async ({ to }, { log, reportProgress }) => {
  for (let progress = 1; progress <= to; progress += 1) {
    log.info(`at ${progress}`)
    await reportProgress({ progress, total: to })
  }
  return `counted to ${to}`
})
tool('grow', { name: z.string() }, async ({ name }) => {
  tool(name, {}, async () => 'I am new')
  return 'grown'
})
tool('touch', { uri: z.string() }, async ({ uri }) => {
  await server.sendResourceUpdated(uri)
  return 'touched'
})
tool('ask', {}, async (_, { elicit }) => {
  const { action, content } = await elicit({ message: ask, requestedSchema: form })
  return content ? `Hello ${content.name}` : action
})
tool('ask_url', {}, async (_, { elicit }) => {
  const { action } = await elicit({ mode: 'url', message: 'Sign in', url: signIn, elicitationId: 'one' })
  return action
})
tool('sample', {}, async (_, { sessionId }) => {
  const { model, content } = await sessionOf(sessionId).requestSampling({ messages: [question], maxTokens: 10 })
  return `${model}: ${content.text}`
})
const resource = (uri, name, mimeType, content) =>
  server.addResource({ uri, name, mimeType, load: async () => content })
resource('test://greeting', 'greeting', 'text/plain', { text: 'Hello!' })
resource('test://picture', 'picture', 'image/png', { blob: png })

const complete = async (value) => ({ values: users.filter((user) => user.startsWith(value)) })
server.addResourceTemplate({
  uriTemplate: 'test://users/{id}',
  name: 'user',
  mimeType: 'text/plain',
  arguments: [{ name: 'id', required: true, complete }],
  load: async ({ id }) => ({ text: `This is ${id}` }),
})
server.addPrompt({
  name: 'greet',
  arguments: [{ name: 'user', required: true, complete }],
  load: async ({ user }) => `Greet ${user}`,
})

await server.start({ transportType: 'httpStream', httpStream: { port: 1 } })
