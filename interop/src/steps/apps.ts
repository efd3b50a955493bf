import type { ContentBlock } from '@x/core'
import { growing, growingQuietly, touching } from './app-changes.js'
import { asks, roots, sampling } from './app-dialogues.js'
import { collect, doUntilHeard, hearsLog } from './events.js'
import { expectEqual, expectRejection, expectText } from './expect.js'
import { aborts, calls, callsAtOnce, completes, gets, offers, reads, refuses, says } from './offers.js'
import type { ServerSteps, Step } from './step.js'

const echo = calls('echo', { text: 'häll☃' }, 'häll☃')

const isGreeting = reads('test://greeting', (contents) =>
  expectEqual(
    contents.map((one) => 'text' in one && one.text),
    ['Hello!'],
    'text',
  ),
)

const greet = gets('greet', { user: 'ada' }, (messages) => {
  expectEqual(messages, [{ role: 'user', content: { type: 'text', text: 'Greet ada' } }], 'messages')
})

/** What every app of `servers/apps` does. */
const common: Step[] = [
  echo,
  calls('add', { a: 2, b: 3 }, '5'),
  callsAtOnce(
    'add',
    (n) => ({ a: n, b: 1 }),
    (n) => String(n + 1),
  ),
  calls('media', {}, ({ content }) => {
    expectEqual(
      content.map(({ type }) => type),
      ['text', 'image', 'audio', 'resource_link', 'resource'],
      'blocks',
    )
    const [image, audio] = content.slice(1) as Extract<ContentBlock, { type: 'image' | 'audio' }>[]
    expectEqual([image?.data.byteLength, audio?.data.byteLength], [70, 44], 'bytes')
  }),
  {
    name: 'calls a tool without arguments',
    async run({ client }) {
      expectEqual((await client.callTool('media')).isError ?? false, false, 'isError')
    },
  },
  refuses('by a result that says so', 'fail', {}, /it failed/),
  refuses('by an exception', 'throw', {}, /kaboom|Internal error/),
  refuses('wrong arguments', 'add', { a: 'two' }, /invalid|expected number/i),
  refuses('an unknown tool', 'no-such-tool', {}, /no-such-tool/),
  isGreeting,
  reads('test://picture', (contents) =>
    expectEqual(
      contents.map((one) => 'blob' in one && one.blob.byteLength),
      [70],
      'bytes',
    ),
  ),
  reads('test://users/ada', (contents) =>
    expectEqual(
      contents.map((one) => 'text' in one && one.text),
      ['This is ada'],
      'text',
    ),
  ),
  greet,
  completes("completes a prompt's argument", { type: 'ref/prompt', name: 'greet' }, { name: 'user', value: 'a' }, [
    'ada',
    'alan',
  ]),
  completes(
    "completes a template's variable",
    { type: 'ref/resource', uri: 'test://users/{id}' },
    { name: 'id', value: 'g' },
    ['grace'],
  ),
]

const counting: Step = {
  name: 'hears progress and the log of a call',
  async run({ client }) {
    const log = collect(client, 'log', { log: 'info' })
    const heard: number[] = []
    const result = await client.callTool(
      'count',
      { to: 3 },
      { onProgress: ({ progress }) => void heard.push(progress) },
    )
    expectText(result, 'counted to 3')
    expectEqual(heard, [1, 2, 3], 'progress')
    const written = log.until(({ data }) => JSON.stringify(data).includes('at 3'))
    await doUntilHeard(() => client.callTool('count', { to: 3 }), written)
    log.stop()
  },
}

const resources = ['test://greeting', 'test://picture']
const lists = { resources, templates: ['test://users/{id}'], prompts: ['greet'] }
const basic = ['echo', 'add', 'media', 'fail', 'throw', 'count', 'grow', 'touch', 'ask', 'ask_url', 'sample']
const serverTwoLists = {
  ...lists,
  resources: [...resources, 'skill://greeting/SKILL.md'],
  templates: [...lists.templates, 'skill://{+path}'],
}
const serverTwo = [...basic, 'shapes.union/nested', 'weather', 'wait', 'region', 'ask_twice', 'roots']

const serverTwoCalls: Step[] = [
  calls(
    'shapes.union/nested',
    { shape: { kind: 'rect', w: 2, h: 3 } },
    '{"shape":{"kind":"rect","w":2,"h":3},"unit":"cm"}',
  ),
  calls('weather', { city: 'Oslo' }, ({ structuredContent }) => {
    expectEqual(structuredContent, { city: 'Oslo', celsius: 21.5 }, 'structuredContent')
  }),
]

const skills: Step = {
  name: 'lists skills and reads one',
  async run({ client }) {
    const [skill, ...rest] = await client.listSkills()
    const { name, description } = skill?.frontmatter ?? {}
    expectEqual([name, description, rest], ['greeting', 'How to greet people', []], 'skills')
    const { body, verified } = await client.readSkill(skill!)
    expectEqual([body?.trim(), verified], ['Say hello.', true], 'SKILL.md')
    const reference = await client.readSkill(skill!, 'references/LANGUAGES.md')
    expectEqual([reference.text, reference.verified], ['# Languages\n\nHei, hallo, bonjour.\n', true], 'the reference')
    const error = await expectRejection(client.readSkill(skill!, 'references/NONE.md'), 'a file that there is not')
    expectEqual(error.code, 'ERR_MCP_INVALID_RESPONSE', 'the code')
  },
}

/** Its own transports carry the SDK's server. */
const mcpFramework: Step[] = [
  ...offers({
    tools: ['echo', 'throw', 'picture', 'count', 'ask'],
    resources: ['test://greeting'],
    prompts: ['greet'],
  }),
  echo,
  calls('picture', {}, ({ content: [image] }) => {
    expectEqual(image?.type === 'image' && image.data.byteLength, 70, 'bytes')
  }),
  refuses('by an exception', 'throw', {}, /kaboom/),
  refuses('wrong arguments', 'echo', { text: 5 }, /expected string/i),
  isGreeting,
  greet,
]

/** By app. */
export const apps: Readonly<Record<string, ServerSteps>> = {
  'server-2': {
    steps: [
      says({
        name: 'server-2',
        title: 'Server 2',
        instructions: 'Be kind.',
        era: 'modern',
        protocolVersion: '2026-07-28',
        transport: 'streamable-http',
      }),
      ...offers({ ...serverTwoLists, tools: serverTwo }),
      ...common,
      ...serverTwoCalls,
      calls('region', { region: 'us-west1' }, 'us-west1 us-west1'),
      counting,
      aborts('wait', {}, echo),
      ...asks({ defaults: true, names: true, twice: true }),
      sampling,
      roots,
      skills,
      touching,
      growing,
      growingQuietly,
    ],
  },
  'server-2-stateless': {
    config: { protocolVersion: '2025-11-25' },
    steps: [
      says({ name: 'server-2', era: 'legacy', protocolVersion: '2025-11-25', instructions: 'Be kind.' }),
      ...offers({ ...serverTwoLists, tools: serverTwo }),
      ...common,
      ...serverTwoCalls,
      skills,
    ],
  },
  fastmcp: {
    steps: [
      says({ name: 'fastmcp', era: 'legacy', transport: 'streamable-http', instructions: 'Be kind.' }),
      ...offers({ ...lists, tools: basic }),
      ...common,
      counting,
      ...asks({}),
      sampling,
      touching,
      growing,
      growingQuietly,
    ],
  },
  'mcp-framework': {
    steps: [
      says({ name: 'mcp-framework', era: 'legacy', transport: 'streamable-http' }),
      ...mcpFramework,
      // Progress too comes on the server's own stream: whether it comes before the result is luck.
      hearsLog('count', { to: 3 }, /^at 3$/),
      ...asks({}).filter(({ name }) => name !== 'answers a URL'),
    ],
  },
  'mcp-framework-sse': {
    steps: [
      says({ name: 'mcp-framework', era: 'legacy', transport: 'sse' }),
      ...mcpFramework,
      counting,
      ...asks({}).filter(({ name }) => name !== 'answers a URL'),
    ],
  },
  tmcp: {
    steps: [
      says({ name: 'tmcp', era: 'modern', protocolVersion: '2026-07-28', transport: 'streamable-http' }),
      ...offers({ ...lists, tools: basic }),
      ...common,
      counting,
      ...asks({ names: true }),
      sampling,
      touching,
      growing,
      growingQuietly,
    ],
  },
}
