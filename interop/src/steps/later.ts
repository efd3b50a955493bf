import type { ConnectOptions, JsonObject, McpClient, RequestOptions, Unsubscribe } from '@x/core'

/** What the client does not offer yet, by the names of the public API. A step that needs it fails until it does. */
export interface ElicitationRequest {
  mode: 'form' | 'url'
  message: string
  requestedSchema?: JsonObject
  url?: string
  elicitationId?: string
  tool?: string
}
export type ElicitationResult = { action: 'accept'; content?: JsonObject } | { action: 'decline' | 'cancel' }
export interface SamplingRequest {
  messages: { role: string; content: unknown }[]
  maxTokens: number
  systemPrompt?: string
  tool?: string
}
export interface SamplingResult {
  role: 'assistant'
  content: { type: 'text'; text: string }
  model: string
}
export interface Root {
  uri: string
  name?: string
}

export interface Dialogues {
  elicit(request: ElicitationRequest): Promise<ElicitationResult>
  sample(request: SamplingRequest): Promise<SamplingResult>
  roots(): Promise<Root[]>
}

export interface Skill {
  name: string
  description: string
}

export type Hooks = ConnectOptions & Partial<Dialogues>
type Refresh = RequestOptions & { refresh?: boolean }
export interface Client extends McpClient {
  listTools(options?: Refresh): ReturnType<McpClient['listTools']>
  listResources(options?: Refresh): ReturnType<McpClient['listResources']>
  subscribeResource?(uri: string, listener: () => void): Promise<Unsubscribe>
  listSkills?(): Promise<Skill[]>
  readSkill?(skill: Skill, reference?: string): Promise<unknown>
}
