// @modelcontextprotocol/server's own handler: revision 2026-07-28, and earlier ones without sessions.
import { createServer } from 'node:http'
import { toNodeHandler } from '@modelcontextprotocol/node'
import {
  acceptedContent,
  completable,
  createMcpHandler,
  inputRequired,
  inputResponse,
  McpServer,
  ResourceTemplate,
} from '@modelcontextprotocol/server'
import { memorySkillFiles, SkillsExtension } from '@modelcontextprotocol/server/ext/skills'
import { z } from 'zod'
import { ask, media, png, question, signIn, text, users } from './content.mjs'

const shape = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('circle'), r: z.number().positive() }),
  z.object({ kind: z.literal('rect'), w: z.number(), h: z.number() }),
])
const name = z.object({ name: z.string(), colour: z.enum(['red', 'blue']).default('blue') })

const skills = await SkillsExtension.load(
  memorySkillFiles({
    'greeting/SKILL.md': '---\nname: greeting\ndescription: How to greet people\n---\n\nSay hello.\n',
    'greeting/references/LANGUAGES.md': '# Languages\n\nHei, hallo, bonjour.\n',
  }),
)

/** Tools that came later. Stateless: they are there for all clients. */
const grown = new Set()

function create() {
  const server = new McpServer(
    { name: 'server-2', title: 'Server 2', version: '1.0.0' },
    { instructions: 'Be kind.', capabilities: { logging: {}, resources: { subscribe: true } } },
  )
  addTools(server)
  addDialogues(server)
  addResources(server)
  skills.attach(server)
  return server
}

function addTools(server) {
  const tool = (toolName, input, run, rest) =>
    server.registerTool(toolName, { inputSchema: z.object(input), ...rest }, run)
  tool('echo', { text: z.string() }, (args) => text(args.text))
  tool('add', { a: z.number(), b: z.number() }, ({ a, b }) => text(String(a + b)))
  tool('shapes.union/nested', { shape, unit: z.enum(['cm', 'in']).default('cm') }, (args) => text(JSON.stringify(args)))
  tool('media', {}, () => ({ content: media }))
  tool('fail', {}, () => ({ ...text('it failed'), isError: true }))
  tool('throw', {}, () => {
    throw new Error('kaboom')
  })
  tool(
    'weather',
    { city: z.string() },
    ({ city }) => ({ ...text('see structuredContent'), structuredContent: { city, celsius: 21.5 } }),
    { outputSchema: z.object({ city: z.string(), celsius: z.number() }) },
  )
  tool('count', { to: z.number() }, async ({ to }, { mcpReq }) => {
    for (let progress = 1; progress <= to; progress += 1) {
      await mcpReq.log('info', `at ${progress}`, 'counter')
      const { progressToken } = mcpReq._meta ?? {}
      const params = { progressToken, progress, total: to, message: `step ${progress}` }
      if (progressToken !== undefined) await mcpReq.notify({ method: 'notifications/progress', params })
    }
    return text(`counted to ${to}`)
  })
  tool('wait', {}, (_, { mcpReq }) => waitForAbort(mcpReq))
  tool('grow', { name: z.string() }, (args) => {
    grown.add(args.name)
    handler.notify.toolsChanged()
    return text('grown')
  })
  for (const added of grown) tool(added, {}, () => text('I am new'))
  tool('touch', { uri: z.string() }, ({ uri }) => {
    handler.notify.resourceUpdated(uri)
    return text('touched')
  })
  // Where the client needs only to know the name: it is a header of the call.
  const region = { type: 'string', 'x-mcp-header': 'Region' }
  tool('region', { region: z.string().meta(region) }, ({ region: said }, { http }) =>
    text(`${said} ${http?.req?.headers.get('mcp-param-region')}`),
  )
}

async function waitForAbort({ signal, notify, _meta }) {
  const params = { progressToken: _meta?.progressToken, progress: 1 }
  await notify({ method: 'notifications/progress', params })
  await new Promise((resolve) => signal.addEventListener('abort', resolve))
  return text('too late')
}

function addDialogues(server) {
  const input = { inputSchema: z.object({}) }
  server.registerTool('ask', input, (_, { mcpReq }) => {
    const answer = inputResponse(mcpReq.inputResponses, 'name')
    const content = acceptedContent(mcpReq.inputResponses, 'name')
    if (answer.kind === 'elicit') return text(content ? `Hello ${content.name}, ${content.colour}` : answer.action)
    return inputRequired({ inputRequests: { name: inputRequired.elicit({ message: ask, requestedSchema: name }) } })
  })
  server.registerTool('ask_url', input, (_, { mcpReq }) => {
    const answer = inputResponse(mcpReq.inputResponses, 'sign-in')
    if (answer.kind === 'elicit') return text(answer.action)
    return inputRequired({ inputRequests: { 'sign-in': inputRequired.elicitUrl({ message: 'Sign in', url: signIn }) } })
  })
  server.registerTool('ask_twice', input, (_, { mcpReq }) => {
    const state = mcpReq.requestState()
    const content = acceptedContent(mcpReq.inputResponses, 'name')
    if (state && content) return text(`${state} and ${content.name}`)
    const inputRequests = { name: inputRequired.elicit({ message: ask, requestedSchema: name }) }
    return inputRequired({ inputRequests, ...(content && { requestState: String(content.name) }) })
  })
  server.registerTool('sample', input, (_, { mcpReq }) => {
    const answer = inputResponse(mcpReq.inputResponses, 'model')
    if (answer.kind === 'sampling') return text(`${answer.result.model}: ${answer.result.content.text}`)
    const params = { messages: [question], maxTokens: 10 }
    return inputRequired({ inputRequests: { model: inputRequired.createMessage(params) } })
  })
  server.registerTool('roots', input, (_, { mcpReq }) => {
    const answer = inputResponse(mcpReq.inputResponses, 'roots')
    if (answer.kind === 'roots') return text(answer.roots.map(({ uri }) => uri).join())
    return inputRequired({ inputRequests: { roots: inputRequired.listRoots() } })
  })
}

function addResources(server) {
  server.registerResource('greeting', 'test://greeting', { mimeType: 'text/plain' }, ({ href }) => ({
    contents: [{ uri: href, mimeType: 'text/plain', text: 'Hello!' }],
  }))
  server.registerResource('picture', 'test://picture', { mimeType: 'image/png' }, ({ href }) => ({
    contents: [{ uri: href, mimeType: 'image/png', blob: png }],
  }))
  const complete = { id: (value) => users.filter((user) => user.startsWith(value)) }
  server.registerResource(
    'user',
    new ResourceTemplate('test://users/{id}', { list: undefined, complete }),
    { mimeType: 'text/plain' },
    ({ href }, { id }) => ({ contents: [{ uri: href, text: `This is ${id}` }] }),
  )
  const user = completable(z.string(), (value) => users.filter((one) => one.startsWith(value)))
  server.registerPrompt('greet', { argsSchema: z.object({ user }) }, (args) => ({
    messages: [{ role: 'user', content: { type: 'text', text: `Greet ${args.user}` } }],
  }))
}

const handler = createMcpHandler(create)
const answer = toNodeHandler(handler)
createServer((request, response) => {
  if (new URL(request.url, 'http://localhost').pathname === '/mcp') return answer(request, response)
  response.writeHead(404).end()
}).listen(0)
