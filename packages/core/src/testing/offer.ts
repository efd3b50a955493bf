import type {
  CompletionReference,
  ContentBlock,
  JsonObject,
  Prompt,
  Resource,
  ResourceTemplate,
  Tool,
} from '../protocol.js'
import type { LocalResult } from '../toolset/local-result.js'
import type { TestCall } from './call.js'

/** A tool of a test server. */
export interface TestTool extends Omit<Tool, 'inputSchema'> {
  /** Default: an object with any members. Arguments are not held to it. */
  inputSchema?: JsonObject
  /**
   * Runs once for each call that reaches the server, as in `localTools`.
   *
   * @returns A string, content blocks, a whole result, or any JSON, which is `structuredContent`. What it throws is a result with
   *   `isError`; a {@link RpcError} is a JSON-RPC error. Without it: a tool with an empty result.
   */
  execute?(args: JsonObject, call: TestCall): LocalResult | Promise<LocalResult>
}

/** Text, or bytes. */
export type TestContent = string | Uint8Array<ArrayBuffer>

/** A resource of a test server. */
export interface TestResource extends Omit<Resource, 'name'> {
  /** Default: the URI. */
  name?: string
  /** What it holds, or a function that gives it anew each time. */
  content: TestContent | ((call: TestCall) => TestContent | Promise<TestContent>)
}

/** A prompt of a test server. */
export interface TestPrompt extends Prompt {
  /** Text of one user message, or the messages. */
  get(args: Record<string, string>, call: TestCall): TestPromptResult | Promise<TestPromptResult>
}
export type TestPromptResult = string | { role: 'user' | 'assistant'; content: ContentBlock }[]

/** What a test server offers. A capability is declared for each that is given, be it empty. */
export interface TestOffer {
  tools?: readonly TestTool[]
  resources?: readonly TestResource[]
  /** Listed only; `read` answers for what they stand for. */
  resourceTemplates?: readonly ResourceTemplate[]
  /** Gives a resource that no list names; `undefined`: there is none. */
  read?(uri: string, call: TestCall): TestContent | undefined | Promise<TestContent | undefined>
  prompts?: readonly TestPrompt[]
  /** Completes an argument of a prompt or of a resource template. */
  complete?(ref: CompletionReference, argument: { name: string; value: string }): string[]
}

/** The lists of an offer, by what their changes are called. */
export type ListName = 'tools' | 'resources' | 'prompts'

export function toCapabilities(offer: TestOffer): JsonObject {
  const hasResources = offer.resources ?? offer.resourceTemplates ?? offer.read
  return {
    logging: {},
    ...(offer.tools && { tools: { listChanged: true } }),
    ...(hasResources && { resources: { listChanged: true, subscribe: true } }),
    ...(offer.prompts && { prompts: { listChanged: true } }),
    ...(offer.complete && { completions: {} }),
  }
}
