import { collect, hearsLog } from './events.js'
import { expectEqual, expectText } from './expect.js'
import { calls, gets, offers, reads, refuses, says } from './offers.js'
import { elicitsForms, interactiveTasks, streamableDialogues } from './sdk-example-dialogues.js'
import type { ServerSteps, Step } from './step.js'

const greeting = 'https://example.com/greetings/default'

const isText = (text: string) => (contents: readonly object[]) => {
  expectEqual(
    contents.map((one) => ('text' in one ? one.text : undefined)),
    [text],
    'the text',
  )
}

const greetingPrompt = gets('greeting-template', { name: 'Ada' }, (messages) => {
  const text = 'Please greet Ada in a friendly manner.'
  expectEqual(messages, [{ role: 'user', content: { type: 'text', text } }], 'messages')
})

const streams = { interval: 10, count: 3 }
const streamed = calls('start-notification-stream', streams, 'Started sending periodic notifications every 10ms')
const streamedLog = hearsLog('start-notification-stream', streams, /^Periodic notification #3 /)

const streamableHttp: ServerSteps = {
  steps: [
    says({
      name: 'simple-streamable-http-server',
      websiteUrl: 'https://github.com/modelcontextprotocol/typescript-sdk',
      icons: [{ src: './mcp.svg', sizes: ['512x512'], mimeType: 'image/svg+xml' }],
      era: 'legacy',
      protocolVersion: '2025-11-25',
      transport: 'streamable-http',
    }),
    ...offers({
      tools: [
        'greet',
        'multi-greet',
        'collect-user-info',
        'collect-user-info-task',
        'start-notification-stream',
        'list-files',
        'delay',
      ],
      resources: [greeting, 'file:///example/file1.txt', 'file:///example/file2.txt'],
      prompts: ['greeting-template'],
    }),
    calls('greet', { name: 'Ada' }, 'Hello, Ada!'),
    calls('list-files', { includeDescriptions: false }, ({ content }) => {
      const uris = content.map((block) => ('uri' in block ? block.uri : block.type))
      expectEqual(uris, ['text', greeting, 'file:///example/file1.txt', 'file:///example/file2.txt', 'text'], 'blocks')
    }),
    refuses('wrong arguments', 'greet', { name: 5 }, /name/),
    reads(greeting, isText('Hello, world!')),
    reads('file:///example/file2.txt', isText('This is the content of file 2')),
    greetingPrompt,
    streamedLog,
    ...streamableDialogues,
  ],
}

const jsonResponse: ServerSteps = {
  steps: [
    says({ name: 'json-response-streamable-http-server', era: 'legacy', protocolVersion: '2025-11-25' }),
    ...offers({ tools: ['greet', 'multi-greet'] }),
    calls('greet', { name: 'Ada' }, 'Hello, Ada!'),
    calls('multi-greet', { name: 'Ada' }, 'Good morning, Ada!'),
  ],
}

const stateless: ServerSteps = {
  steps: [
    says({ name: 'stateless-streamable-http-server', era: 'legacy', protocolVersion: '2025-11-25' }),
    ...offers({ tools: ['start-notification-stream'], resources: [greeting], prompts: ['greeting-template'] }),
    streamed,
    reads(greeting, isText('Hello, world!')),
    greetingPrompt,
  ],
}

const initial = 'https://mcp-example.com/dynamic/example-resource'

/** The server adds a resource every 5 s, and says so on its own stream. */
const newResource: Step = {
  name: 'hears of a new resource, which is then listed and read',
  async run({ client }) {
    const before = await client.listResources()
    const changes = collect(client, 'list-changed', { lists: true })
    await changes.until(({ list }) => list === 'resources')
    changes.stop()
    const added = (await client.listResources()).find(({ uri }) => !before.some((one) => one.uri === uri))
    if (!added) throw new Error('the list has nothing new')
    isText(`Content for ${added.name}`)((await client.readResource(added.uri)).contents)
  },
}

const standaloneSse: ServerSteps = {
  steps: [
    says({ name: 'resource-list-changed-notification-server', era: 'legacy', protocolVersion: '2025-11-25' }),
    ...offers({ resources: [initial] }),
    reads(initial, isText('Initial content for example-resource')),
    newResource,
  ],
}

const compatible = { name: 'backwards-compatible-server', era: 'legacy' } as const
const compatibleSteps = [...offers({ tools: ['start-notification-stream'] }), streamed, streamedLog]

const simpleSse: ServerSteps = {
  steps: [
    says({ name: 'simple-sse-server', era: 'legacy', transport: 'sse' }),
    ...offers({ tools: ['start-notification-stream'] }),
    calls('start-notification-stream', { interval: 10, count: 2 }, 'Completed sending 2 notifications every 10ms'),
    hearsLog('start-notification-stream', { interval: 10, count: 2 }, /^Notification #2 /),
  ],
}

/** The server ends the stream of a call halfway; the client has to take it up again. */
const ssePolling: ServerSteps = {
  steps: [
    says({ name: 'sse-polling-example', era: 'legacy', protocolVersion: '2025-11-25' }),
    ...offers({ tools: ['long-task'] }),
    calls('long-task', {}, 'Long task completed successfully!'),
    {
      name: 'hears the log of a call whose stream ended halfway',
      async run({ client }) {
        const log = collect(client, 'log', { log: 'info' })
        expectText(await client.callTool('long-task'), 'Long task completed successfully!')
        await log.until(({ data }) => String(data).startsWith('Progress: 100%'))
        log.stop()
      },
    },
  ],
}

const hono: ServerSteps = {
  steps: [
    says({ name: 'hono-webstandard-mcp-server', era: 'legacy', protocolVersion: '2025-11-25' }),
    ...offers({ tools: ['greet'] }),
    calls('greet', { name: 'Ada' }, 'Hello, Ada! (from Hono + WebStandard transport)'),
  ],
}

const elicitationForm: ServerSteps = {
  steps: [
    says({ name: 'form-elicitation-example-server', era: 'legacy', protocolVersion: '2025-11-25' }),
    ...offers({ tools: ['register_user', 'create_event', 'update_shipping_address'] }),
    ...elicitsForms,
  ],
}

const taskInteractive: ServerSteps = {
  steps: [
    says({ name: 'simple-task-interactive', era: 'legacy', protocolVersion: '2025-11-25' }),
    ...offers({ tools: ['confirm_delete', 'write_haiku'] }),
    ...interactiveTasks,
  ],
}

/** The example servers of `@modelcontextprotocol/sdk` 1.x. */
export const sdkExamples: Readonly<Record<string, ServerSteps>> = {
  'sdk-streamable-http': streamableHttp,
  'sdk-json-response': jsonResponse,
  'sdk-stateless': stateless,
  'sdk-standalone-sse': standaloneSse,
  'sdk-compatible-http': { steps: [says({ ...compatible, transport: 'streamable-http' }), ...compatibleSteps] },
  'sdk-compatible-sse': { steps: [says({ ...compatible, transport: 'sse' }), ...compatibleSteps] },
  'sdk-simple-sse': simpleSse,
  'sdk-sse-polling': ssePolling,
  'sdk-hono': hono,
  'sdk-elicitation-form': elicitationForm,
  'sdk-task-interactive': taskInteractive,
}
