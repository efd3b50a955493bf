import type { ContentBlock } from '@x/core'
import { collect, doUntilHeard, seesWithoutListening } from './events.js'
import { dialogueSteps } from './everything-dialogues.js'
import { expectEqual, expectMatch, textOf } from './expect.js'
import { aborts, calls, callsAtOnce, completes, gets, offers, reads, refuses, says } from './offers.js'
import type { ServerSteps, Step } from './step.js'

const document = (name: string) => `demo://resource/static/document/${name}.md`

const listed = offers({
  tools: [
    'echo',
    'get-annotated-message',
    'get-env',
    'get-resource-links',
    'get-resource-reference',
    'get-roots-list',
    'get-structured-content',
    'get-sum',
    'get-tiny-image',
    'gzip-file-as-resource',
    'simulate-research-query',
    'toggle-simulated-logging',
    'toggle-subscriber-updates',
    'trigger-elicitation-request',
    'trigger-long-running-operation',
    'trigger-sampling-request',
    'trigger-url-elicitation',
  ],
  resources: ['architecture', 'extension', 'features', 'how-it-works', 'instructions', 'startup', 'structure'].map(
    document,
  ),
  templates: ['demo://resource/dynamic/text/{resourceId}', 'demo://resource/dynamic/blob/{resourceId}'],
  prompts: ['simple-prompt', 'args-prompt', 'completable-prompt', 'resource-prompt'],
})

const kinds = ({ content }: { content: ContentBlock[] }) => content.map(({ type }) => type)

const called: Step[] = [
  calls('echo', { message: 'häll☃' }, 'Echo: häll☃'),
  calls('get-sum', { a: 2, b: 3 }, 'The sum of 2 and 3 is 5.'),
  calls('get-tiny-image', {}, (result) => {
    expectEqual(kinds(result), ['text', 'image', 'text'], 'blocks')
    const image = result.content[1] as Extract<ContentBlock, { type: 'image' | 'audio' }>
    expectEqual([...image.data.slice(0, 8)], [137, 80, 78, 71, 13, 10, 26, 10], 'the beginning of a PNG')
  }),
  calls('get-structured-content', { location: 'New York' }, ({ structuredContent }) => {
    expectEqual(structuredContent, { temperature: 33, conditions: 'Cloudy', humidity: 82 }, 'structuredContent')
  }),
  calls('get-annotated-message', { messageType: 'error', includeImage: true }, ({ content: [text, image] }) => {
    expectEqual(
      [text, image].map((block) => (block && 'annotations' in block ? block.annotations : undefined)),
      [
        { priority: 1, audience: ['user', 'assistant'] },
        { priority: 0.5, audience: ['user'] },
      ],
      'annotations',
    )
  }),
  calls('get-resource-links', { count: 3 }, (result) => {
    expectEqual(kinds(result), ['text', 'resource_link', 'resource_link', 'resource_link'], 'blocks')
    const link = result.content[1] as Extract<ContentBlock, { type: 'resource_link' }>
    expectEqual(link.uri, 'demo://resource/dynamic/blob/1', 'the first link')
  }),
  calls('get-resource-reference', { resourceType: 'Blob', resourceId: 1 }, (result) => {
    expectEqual(kinds(result), ['text', 'resource', 'text'], 'blocks')
    const { resource } = result.content[1] as Extract<ContentBlock, { type: 'resource' }>
    if (!('blob' in resource)) throw new Error('the resource has no bytes')
    expectMatch(new TextDecoder().decode(resource.blob), /^Resource 1: This is a base64 blob/, 'the bytes')
  }),
  callsAtOnce(
    'get-sum',
    (n) => ({ a: n, b: 1 }),
    (n) => `The sum of ${n} and 1 is ${n + 1}.`,
  ),
  aborts('trigger-long-running-operation', { duration: 10, steps: 100 }, calls('echo', { message: 'a' }, 'Echo: a')),
  refuses('an unknown tool', 'no-such-tool', {}, /no-such-tool/),
  refuses('wrong arguments', 'get-sum', { a: 'two' }, /expected number|Invalid arguments/i),
]

const progress: Step = {
  name: 'hears progress',
  async run({ client }) {
    const heard: [number, number | undefined][] = []
    const result = await client.callTool(
      'trigger-long-running-operation',
      { duration: 0.3, steps: 3 },
      { onProgress: ({ progress, total }) => void heard.push([progress, total]) },
    )
    expectMatch(textOf(result), /^Long running operation completed/, 'text')
    expectEqual(
      heard,
      [
        [1, 3],
        [2, 3],
        [3, 3],
      ],
      'progress',
    )
  },
}

const announced: Step[] = [
  seesWithoutListening(
    (client) => client.callTool('gzip-file-as-resource', { name: 'quiet.gz', data: 'data:text/plain,interop' }),
    async (client) => (await client.listResources()).some(({ uri }) => uri === 'demo://resource/session/quiet.gz'),
  ),
  {
    name: 'hears the log',
    async run({ client }) {
      const log = collect(client, 'log', { log: 'debug' })
      await client.callTool('toggle-simulated-logging')
      const { data } = await log.until(({ data }) => /level.message/i.test(String(data)))
      expectMatch(String(data), /SessionId/, 'a message of the log')
      await client.callTool('toggle-simulated-logging')
      log.stop()
    },
  },
  {
    name: 'hears of a new resource, which is then listed and read',
    async run({ client }) {
      await client.listResources()
      const changes = collect(client, 'list-changed', { lists: true })
      const args = { name: 'interop.gz', data: 'data:text/plain,interop', outputType: 'resourceLink' }
      const heard = changes.until(({ list }) => list === 'resources')
      await doUntilHeard(() => client.callTool('gzip-file-as-resource', args), heard)
      changes.stop()
      const uri = 'demo://resource/session/interop.gz'
      if (!(await client.listResources()).some((one) => one.uri === uri)) throw new Error(`${uri} is not in the list`)
      const [contents] = (await client.readResource(uri)).contents
      if (!contents || !('blob' in contents)) throw new Error('the resource has no bytes')
      expectEqual([...contents.blob.slice(0, 2)], [0x1f, 0x8b], 'the beginning of a gzip file')
    },
  },
  {
    name: 'subscribes to a resource',
    async run({ client }) {
      let updated = (): void => {}
      const update = new Promise<void>((resolve) => {
        updated = resolve
      })
      const unsubscribe = await client.subscribeResource(document('features'), () => updated())
      await client.callTool('toggle-subscriber-updates')
      await update
      await client.callTool('toggle-subscriber-updates')
      unsubscribe()
    },
  },
]

const rest: Step[] = [
  reads(document('architecture'), ([contents]) => {
    if (!contents || !('text' in contents)) throw new Error('the resource has no text')
    expectEqual(contents.mimeType, 'text/markdown', 'mimeType')
    expectMatch(contents.text, /^# /, 'text')
  }),
  reads('demo://resource/dynamic/blob/7', ([contents]) => {
    if (!contents || !('blob' in contents)) throw new Error('the resource has no bytes')
    expectMatch(new TextDecoder().decode(contents.blob), /^Resource 7: /, 'the bytes')
  }),
  gets('simple-prompt', undefined, (messages) => {
    const text = 'This is a simple prompt without arguments.'
    expectEqual(messages, [{ role: 'user', content: { type: 'text', text } }], 'messages')
  }),
  gets('args-prompt', { city: 'Oslo', state: 'Viken' }, ([message]) => {
    expectEqual(message?.content, { type: 'text', text: "What's weather in Oslo, Viken?" }, 'the message')
  }),
  gets('resource-prompt', { resourceType: 'Text', resourceId: '2' }, (messages) => {
    expectEqual(
      messages.map(({ content }) => content.type),
      ['text', 'resource'],
      'contents',
    )
  }),
  completes(
    "completes a prompt's argument",
    { type: 'ref/prompt', name: 'completable-prompt' },
    { name: 'name', value: 'A' },
    ['Alice'],
    { arguments: { department: 'Engineering' } },
  ),
  completes(
    "completes a template's variable",
    { type: 'ref/resource', uri: 'demo://resource/dynamic/text/{resourceId}' },
    { name: 'resourceId', value: '12' },
    ['12'],
  ),
]

const who = { name: 'mcp-servers/everything', title: 'Everything Reference Server', era: 'legacy' } as const
const all = [...listed, ...called, progress, ...rest, ...dialogueSteps, ...announced]

export const everythingHttp: ServerSteps = {
  steps: [says({ ...who, transport: 'streamable-http', protocolVersion: '2025-11-25' }), ...all],
}

/** Nothing says that it is HTTP+SSE: the client finds out. */
export const everythingSse: ServerSteps = { steps: [says({ ...who, transport: 'sse' }), ...all] }
