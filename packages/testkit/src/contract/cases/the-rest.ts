import { equal, includes, ok } from '../expect.js'
import { completions, displayed, resourceTemplates, resultMeta, serverIdentity, textResource } from '../fixtures.js'
import { type Promises, requests } from './reading.js'

export const theRest = {
  async 'arguments are completed, of prompts and templates, and by the other arguments'({ connect }) {
    const client = await connect()
    const prompt = { type: 'ref/prompt', name: 'greet' } as const
    const template = { type: 'ref/resource', uri: resourceTemplates[0]! } as const
    const all = { total: 2, hasMore: false }
    const ofPrompt = await client.complete(prompt, { name: 'who', value: 'A' })
    equal(ofPrompt, { values: ['Ada', 'Alan'], ...all }, 'of a prompt')
    const ofTemplate = await client.complete(template, { name: 'id', value: 'o' })
    equal(ofTemplate, { values: [...completions.resource], ...all }, 'of a template')
    const german = await client.complete(prompt, { name: 'who', value: 'A' }, { arguments: { lang: 'de' } })
    equal(german, { values: [...completions.german], ...all }, 'by another argument')
  },

  async 'progress brings its message'({ connect, toolName }) {
    const client = await connect()
    const seen: unknown[] = []
    await client.callTool(toolName('progress'), { steps: 2 }, { onProgress: (progress) => seen.push(progress) })
    const expected = [1, 2].map((step) => ({ progress: step, total: 2, message: `step ${step}` }))
    equal(seen, expected, 'progress')
  },

  async 'the server and what it lists keep their titles and icons'({ connect }) {
    const client = await connect()
    includes(client.state.server, serverIdentity, 'server')
    includes((await client.listTools())[0], displayed, 'tool')
    includes((await client.listResources())[0], displayed, 'resource')
    includes((await client.listResourceTemplates())[0], displayed, 'template')
    const [greet] = await client.listPrompts()
    includes(greet, { ...displayed, arguments: [{ name: 'who', title: 'Whom to greet', required: true }] }, 'prompt')
  },

  async 'a tool’s title and icons reach the client'({ connect, toolName }) {
    const tools = await (await connect()).listTools()
    includes(
      tools.find(({ name }) => name === toolName('echo')),
      displayed,
      'tool',
    )
  },

  async '_meta of a tool’s result is kept for the app, and hidden from models'({ connect, api, toolName }) {
    const result = await (await connect()).callTool(toolName('content'))
    includes(result._meta, resultMeta, '_meta')
    const shown = JSON.stringify(api.toModelOutput(result))
    ok(!shown.includes('contract/result'), `the model sees ${shown.slice(0, 400)}`)
  },

  async '_meta of what is read and of prompts is kept'({ connect }) {
    const client = await connect()
    includes((await client.readResource(textResource.uri))._meta, resultMeta, 'resource')
    includes((await client.getPrompt('greet', { who: 'Ada' }))._meta, resultMeta, 'prompt')
  },

  async 'a trace goes along'({ connect, control, toolName }) {
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
    const client = await connect()
    await client.callTool(toolName('echo'), { text: '' }, { meta: { traceparent } })
    equal((await requests(control, 'tools/call'))[0]?.traceparent, traceparent, 'traceparent')
  },
} satisfies Promises
