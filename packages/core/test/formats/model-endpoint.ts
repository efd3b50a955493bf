import { startScriptedServer } from '@x/testkit'
import type { Json, JsonObject } from '../../src/protocol.js'

export interface ModelEndpoint {
  url: string
  /** What the provider's SDK has sent, a body per step. */
  readonly bodies: JsonObject[]
  close(): Promise<void>
}

/** A provider's endpoint that answers each request with the next of these, whatever is asked. */
export async function startModelEndpoint(...replies: object[]): Promise<ModelEndpoint> {
  const bodies: JsonObject[] = []
  const server = await startScriptedServer(async (request) => {
    bodies.push((await request.json()) as JsonObject)
    const reply = replies[bodies.length - 1]
    return reply ? Response.json(reply) : new Response('nothing is left to say', { status: 400 })
  })
  return { url: server.url, bodies, close: server.close }
}

export interface ScriptedCall {
  id: string
  name: string
  args?: JsonObject
}

/** A step of a model's: calls, or what it says in the end. */
export type Step = ScriptedCall[] | string

export const anthropicReply = (step: Step): object => ({
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'claude',
  content:
    typeof step === 'string'
      ? [{ type: 'text', text: step }]
      : step.map(({ id, name, args = {} }) => ({ type: 'tool_use', id, name, input: args })),
  stop_reason: typeof step === 'string' ? 'end_turn' : 'tool_use',
  stop_sequence: null,
  usage: { input_tokens: 1, output_tokens: 1 },
})

export const googleReply = (step: Step): object => ({
  candidates: [
    {
      content: {
        role: 'model',
        parts:
          typeof step === 'string' ? [{ text: step }] : step.map((call) => ({ functionCall: { args: {}, ...call } })),
      },
      finishReason: 'STOP',
    },
  ],
})

/** Every object in a body that has this key. */
export function having(value: Json | undefined, key: string): JsonObject[] {
  if (typeof value !== 'object' || value === null) return []
  const inside = Object.values(value).flatMap((item) => having(item, key))
  return Array.isArray(value) || !(key in value) ? inside : [value, ...inside]
}
