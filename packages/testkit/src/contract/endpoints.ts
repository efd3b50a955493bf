import type { ForgottenAnswer } from './fixtures.js'

/** One MCP endpoint, its request's body already parsed. */
export interface Endpoint {
  answer(request: Request, parsedBody: unknown): Promise<Response>
  /** Tells those who want to know. */
  announce(news: News): Promise<void>
  /** Ends every session, and answers so to requests of them. Without sessions it does nothing. */
  forget(answer: ForgottenAnswer): Promise<void>
  close(): Promise<void>
}

/** What a server may say by itself. */
export type News =
  | { list: 'tools' | 'resources' | 'prompts' }
  | { updated: string }
  /** The id of an elicitation. */
  | { completed: string }

/** What both eras' endpoints offer. */
export const capabilities = {
  tools: { listChanged: true },
  resources: { subscribe: true, listChanged: true },
  prompts: { listChanged: true },
  completions: {},
  logging: {},
}
