import type { JsonObject } from '../../src/protocol.js'

/** What a model says: a text, or calls, each with its id, the tool's name for models, and the arguments as written. */
export type Said = string | [id: string, name: string, args?: object | string][]

/** What it says at a step; a function does something first. */
export type Step = Said | (() => Promise<Said>)

/** A provider's endpoint behind the `fetch` of its SDK. */
export interface ScriptedEndpoint {
  /** For the SDK's option. */
  fetch(input: string | URL | Request, init?: RequestInit): Promise<Response>
  /** What the SDK has sent, in order. */
  readonly bodies: JsonObject[]
}

export function createScriptedEndpoint(steps: Step[], toReply: (said: Said) => object): ScriptedEndpoint {
  const bodies: JsonObject[] = []
  return {
    bodies,
    async fetch(input, init) {
      const request = new Request(input, init)
      bodies.push((await request.json()) as JsonObject)
      const step = steps[bodies.length - 1]
      if (!step) throw new Error(`no step is left for request ${bodies.length}`)
      return Response.json(toReply(typeof step === 'function' ? await step() : step))
    },
  }
}
