import type { Era, LogLevel } from '@x/core'
import { createDialogueTools } from './dialogue-tools.js'
import {
  displayed,
  failText,
  knownBytes,
  replyForms,
  resultMeta,
  rpcError,
  textResource,
  toolNames,
  type WorkingTool,
  workingTools,
} from './fixtures.js'
import type { Question } from './questions.js'
import { createRpcError } from './rpc-error.js'
import type { Stage } from './stage.js'

type Arguments = Record<string, unknown>

/** What a running tool gets of the call. */
export interface ToolContext {
  era: Era
  signal: AbortSignal
  /** Sends a progress notification, where the caller asked for progress. */
  progress(progress: { progress: number; total: number; message?: string }): Promise<void>
  /** Asks the client, and gives its answers by the questions' keys. */
  ask(questions: Record<string, Question>): Promise<Record<string, Arguments>>
  /** Sends a log message, where the client wants those of its level. */
  log(message: { level: LogLevel; logger: string; data: unknown }): Promise<void>
}

export interface ContractTool {
  title?: string
  icons?: object[]
  description: string
  inputSchema: Arguments
  outputSchema?: Arguments
  annotations?: Arguments
  execution?: { taskSupport: 'required' | 'optional' }
  run(args: Arguments, context: ToolContext): Promise<Arguments>
}

export const object = (properties: Arguments, required = Object.keys(properties)) => ({
  type: 'object',
  properties,
  required,
})
export const text = (value: string) => ({ type: 'text', text: value })
const toBase64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64')

/** One block of each kind. */
const contentBlocks = {
  text: text(textResource.text),
  image: { type: 'image', mimeType: 'image/png', data: toBase64(knownBytes.image) },
  audio: { type: 'audio', mimeType: 'audio/wav', data: toBase64(knownBytes.audio) },
  'resource-text': { type: 'resource', resource: textResource },
  'resource-blob': {
    type: 'resource',
    resource: { uri: 'contract://blob', mimeType: 'application/octet-stream', blob: toBase64(knownBytes.blob) },
  },
  'resource-link': { type: 'resource_link', uri: 'contract://text', name: 'text', mimeType: 'text/plain', size: 41 },
}

/** The one table of tools, served to both eras. */
export function createTools(stage: Stage): Map<string, ContractTool> {
  const tools: Record<WorkingTool, ContractTool> = {
    echo: {
      ...displayed,
      description: 'Gives the text back.',
      inputSchema: object({ text: { type: 'string' } }),
      annotations: { readOnlyHint: true },
      run: async (args) => ({ content: [text(String(args.text))] }),
    },
    add: {
      description: 'Adds two numbers.',
      inputSchema: object({ a: { type: 'number' }, b: { type: 'number' } }),
      outputSchema: object({ sum: { type: 'number' } }),
      run: async ({ a, b }) => {
        const structuredContent = { sum: Number(a) + Number(b) }
        return { content: [text(JSON.stringify(structuredContent))], structuredContent }
      },
    },
    content: {
      description: 'Gives one block of each kind.',
      inputSchema: object({}),
      run: async () => ({ content: Object.values(contentBlocks), _meta: resultMeta }),
    },
    progress: {
      description: 'Reports progress in steps.',
      inputSchema: object({ steps: { type: 'integer' } }),
      run: async ({ steps }, context) => {
        for (let step = 1; step <= Number(steps); step++)
          await context.progress({ progress: step, total: Number(steps), message: `step ${step}` })
        return { content: [text(`${steps} steps`)] }
      },
    },
    burst: {
      description: 'Reports progress in steps, all at once with the result.',
      inputSchema: object({ steps: { type: 'integer' } }),
      run: answeredRaw,
    },
    hang: {
      description: 'Never answers.',
      inputSchema: object({}),
      run: (_args, context) =>
        new Promise((_resolve, reject) => {
          if (context.signal.aborted) reject(context.signal.reason)
          context.signal.addEventListener('abort', () => reject(context.signal.reason))
        }),
    },
    slow: {
      description: 'Answers after a while.',
      inputSchema: object({ ms: { type: 'integer' }, text: { type: 'string' } }),
      run: async ({ ms, text: value }) => {
        await new Promise((resolve) => setTimeout(resolve, Number(ms)))
        return { content: [text(String(value))] }
      },
    },
    meet: {
      description: 'Answers when as many calls are in.',
      inputSchema: object({ parties: { type: 'integer' } }),
      run: createMeeting(),
    },
    fail: {
      description: 'Reports a failure of its own.',
      inputSchema: object({}),
      run: async () => ({ content: [text(failText)], isError: true }),
    },
    'rpc-error': {
      description: 'Is answered with a JSON-RPC error.',
      inputSchema: object({}),
      run: async () => {
        throw createRpcError(rpcError.code, rpcError.message, rpcError.data)
      },
    },
    big: {
      description: 'Gives a text of so many bytes.',
      inputSchema: object({ bytes: { type: 'integer' } }),
      run: async ({ bytes }) => ({ content: [text('x'.repeat(Number(bytes)))] }),
    },
    flood: {
      description: 'Streams so many bytes of JSON.',
      inputSchema: object({ bytes: { type: 'integer' }, form: { enum: ['json', 'sse', 'gzip'] } }, []),
      run: answeredRaw,
    },
    reply: {
      description: 'Gives the text back in a form of reply.',
      inputSchema: object({ form: { enum: replyForms }, text: { type: 'string' } }),
      run: answeredRaw,
    },
    'grüße-世界': {
      description: 'A name that HTTP headers cannot hold as it is.',
      inputSchema: object({ text: { type: 'string' } }),
      run: async (args) => ({ content: [text(`grüße: ${args.text}`)] }),
    },
    ...createDialogueTools(stage),
  }
  const table = new Map<string, ContractTool>(workingTools.map((name) => [name, tools[name]]))
  for (const name of toolNames) if (!table.has(name)) table.set(name, createFiller(name))
  return table
}

/** Holds calls until `parties` of them are there: they can only all be answered when they run at the same time. */
function createMeeting(): ContractTool['run'] {
  let arrived: (() => void)[] = []
  return async ({ parties }) => {
    await new Promise<void>((resolve) => {
      arrived.push(resolve)
      if (arrived.length < Number(parties)) return
      for (const release of arrived) release()
      arrived = []
    })
    return { content: [text(`met ${parties}`)] }
  }
}

export function createFiller(name: string): ContractTool {
  return {
    description: `Fills a page: ${name}.`,
    inputSchema: object({}),
    run: async () => ({ content: [text(name)] }),
  }
}

async function answeredRaw(): Promise<Arguments> {
  throw new Error('this tool is answered before the SDK sees the call')
}
