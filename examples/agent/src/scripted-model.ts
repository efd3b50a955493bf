import { MockLanguageModelV4 } from 'ai/test'

type Generated = Awaited<ReturnType<MockLanguageModelV4['doGenerate']>>

const usage: Generated['usage'] = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
}

/** A model that asks for these tools, one after another, and then says a text: in the place of a real one. */
export function createScriptedModel(calls: { tool: string; input: object }[], answer: string): MockLanguageModelV4 {
  const steps = calls.map(
    ({ tool, input }, index): Generated => ({
      content: [{ type: 'tool-call', toolCallId: `call-${index}`, toolName: tool, input: JSON.stringify(input) }],
      finishReason: { unified: 'tool-calls', raw: undefined },
      usage,
      warnings: [],
    }),
  )
  const last: Generated = {
    content: [{ type: 'text', text: answer }],
    finishReason: { unified: 'stop', raw: undefined },
    usage,
    warnings: [],
  }
  return new MockLanguageModelV4({ doGenerate: [...steps, last] })
}
