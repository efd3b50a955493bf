import { MockLanguageModelV4, simulateReadableStream } from 'ai/test'

type Generated = Awaited<ReturnType<MockLanguageModelV4['doGenerate']>>
type Streamed = Awaited<ReturnType<MockLanguageModelV4['doStream']>>
type StreamPart = Streamed['stream'] extends ReadableStream<infer Part> ? Part : never
type Content = Generated['content'][number]

export const call = (id: string, toolName: string, input: object = {}): Content => ({
  type: 'tool-call',
  toolCallId: id,
  toolName,
  input: JSON.stringify(input),
})
export const say = (text: string): Content => ({ type: 'text', text })

/** A model that says these things, a step each. */
export function scripted(...steps: Content[][]): MockLanguageModelV4 {
  const generated = steps.map((content): Generated => {
    const unified = content.some(({ type }) => type === 'tool-call') ? 'tool-calls' : 'stop'
    return { content, finishReason: { unified, raw: undefined }, usage, warnings: [] }
  })
  return new MockLanguageModelV4({ doGenerate: generated, doStream: generated.map(toStreamed) })
}

const usage: Generated['usage'] = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
}

function toStreamed({ content, finishReason }: Generated): Streamed {
  const chunks: StreamPart[] = [{ type: 'stream-start', warnings: [] }]
  for (const part of content) {
    if (part.type === 'tool-call') chunks.push(part)
    if (part.type === 'text')
      chunks.push(
        { type: 'text-start', id: 't' },
        { type: 'text-delta', id: 't', delta: part.text },
        { type: 'text-end', id: 't' },
      )
  }
  chunks.push({ type: 'finish', finishReason, usage })
  return { stream: simulateReadableStream({ chunks, initialDelayInMs: null, chunkDelayInMs: null }) }
}

/** What the model was told of its calls before this step, by call. */
export function toldAt(model: MockLanguageModelV4, step: number): Record<string, unknown> {
  const { prompt } = [...model.doGenerateCalls, ...model.doStreamCalls][step]!
  const parts = prompt.flatMap((message) => (message.role === 'tool' ? message.content : []))
  return Object.fromEntries(
    parts.flatMap((part) => (part.type === 'tool-result' ? [[part.toolCallId, part.output]] : [])),
  )
}
