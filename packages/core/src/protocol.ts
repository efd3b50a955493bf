/**
 * MCP's shapes as this package hands them out: the specification's, except that binary data are bytes instead of
 * base64. Fields that a later revision adds pass through untouched.
 *
 * @see {@link https://modelcontextprotocol.io/specification/2026-07-28/schema}
 */

/** A JSON value. */
export type Json = string | number | boolean | null | Json[] | JsonObject
/** A JSON object. */
export type JsonObject = { [key: string]: Json }

/** Protocol revisions that this client speaks, newest first. */
export type ProtocolVersion = '2026-07-28' | '2025-11-25' | '2025-06-18' | '2025-03-26' | '2024-11-05'

/** `modern`: revision 2026-07-28, stateless. `legacy`: an earlier one, begun by `initialize`. */
export type Era = 'modern' | 'legacy'

export type LogLevel = 'debug' | 'info' | 'notice' | 'warning' | 'error' | 'critical' | 'alert' | 'emergency'

export interface Icon {
  src: string
  mimeType?: string
  sizes?: string[]
  theme?: 'light' | 'dark'
}

/** What a connected server says of itself. */
export interface ServerInfo {
  name: string
  version: string
  title?: string
  description?: string
  websiteUrl?: string
  icons?: Icon[]
  era: Era
  protocolVersion: ProtocolVersion
  transport: 'streamable-http' | 'sse' | 'stdio'
  capabilities: JsonObject
  instructions?: string
}

export interface Annotations {
  audience?: ('user' | 'assistant')[]
  /** 0 (least) to 1 (most important). */
  priority?: number
  lastModified?: string
}

/** Hints of a tool, by its server; to be believed only of a trusted server. */
export interface ToolAnnotations {
  title?: string
  readOnlyHint?: boolean
  destructiveHint?: boolean
  idempotentHint?: boolean
  openWorldHint?: boolean
}

export interface Tool {
  name: string
  title?: string
  description?: string
  icons?: Icon[]
  inputSchema: JsonObject
  outputSchema?: JsonObject
  annotations?: ToolAnnotations
  execution?: { taskSupport?: 'required' | 'optional' | 'forbidden' }
  _meta?: JsonObject
}

export interface Resource {
  uri: string
  name: string
  title?: string
  description?: string
  mimeType?: string
  /** Bytes. */
  size?: number
  icons?: Icon[]
  annotations?: Annotations
  _meta?: JsonObject
}

export interface ResourceTemplate {
  uriTemplate: string
  name: string
  title?: string
  description?: string
  mimeType?: string
  icons?: Icon[]
  annotations?: Annotations
  _meta?: JsonObject
}

export interface Prompt {
  name: string
  title?: string
  description?: string
  icons?: Icon[]
  arguments?: { name: string; title?: string; description?: string; required?: boolean }[]
  _meta?: JsonObject
}

/** A resource's content: text, or bytes that the caller owns. */
export type ResourceContents = { uri: string; mimeType?: string; _meta?: JsonObject } & (
  | { text: string }
  | { blob: Uint8Array<ArrayBuffer> }
)

interface BlockExtras {
  annotations?: Annotations
  _meta?: JsonObject
}

/** One block of a tool's result or of a prompt. Binary data are bytes that the caller owns. */
export type ContentBlock =
  | ({ type: 'text'; text: string } & BlockExtras)
  | ({ type: 'image' | 'audio'; mimeType: string; data: Uint8Array<ArrayBuffer> } & BlockExtras)
  | ({ type: 'resource_link' } & Resource)
  | ({ type: 'resource'; resource: ResourceContents } & BlockExtras)
  /** A block of a type that this client doesn't know, or that is malformed, as it came. */
  | { type: 'unknown'; raw: Json }

/** Something that was mended, left out or stripped. */
export interface Finding {
  code: string
  message: string
  /** JSON Pointer into what was found. */
  path?: string
}

export interface CallToolResult {
  content: ContentBlock[]
  /**
   * Held to the `outputSchema` of a tool that a list has named. What does not fit, or is missing, is kept as it is with a
   * finding `output-schema`; what can't be checked has a finding `unvalidated`.
   */
  structuredContent?: Json
  /** The tool ran and reports a failure; returned, not thrown. */
  isError?: boolean
  findings: Finding[]
  _meta?: JsonObject
}

export interface ReadResourceResult {
  contents: ResourceContents[]
  findings: Finding[]
  _meta?: JsonObject
}

export interface GetPromptResult {
  description?: string
  messages: { role: 'user' | 'assistant'; content: ContentBlock }[]
  findings: Finding[]
  _meta?: JsonObject
}

export interface CompleteResult {
  completion: { values: string[]; total?: number; hasMore?: boolean }
}

export type CompletionReference = { type: 'ref/prompt'; name: string } | { type: 'ref/resource'; uri: string }

/** Progress of a running call. */
export interface Progress {
  progress: number
  total?: number
  message?: string
}

/** A question to a person, asked by a server. */
export interface ElicitationRequest {
  /** The server's name. */
  server: string
  /** The tool whose call asks; absent where the server asks by itself. */
  tool?: string
  /** `form`: to be filled in. `url`: to be answered on the server's own page; never open it unasked. */
  mode: 'form' | 'url'
  message: string
  /** Of a form: a flat JSON Schema of primitives. */
  requestedSchema?: JsonObject
  /** Of a URL: https, to be shown whole before it is opened, in a browsing context of its own. */
  url?: string
  /** The URL's host, to be shown with it. */
  domain?: string
  elicitationId?: string
  _meta?: JsonObject
}

export type ElicitationResult =
  /** `content` answers a form and satisfies its schema; a URL has none. */
  { action: 'accept'; content?: JsonObject } | { action: 'decline' | 'cancel' }

/** What a server asks a model of the app. Binary data are bytes. */
export interface SamplingRequest {
  /** The server's name. */
  server: string
  /** The tool whose call asks; absent where the server asks by itself. */
  tool?: string
  messages: SamplingMessage[]
  maxTokens: number
  systemPrompt?: string
  /** 0 to 1, by most providers. */
  temperature?: number
  stopSequences?: string[]
  modelPreferences?: JsonObject
  includeContext?: 'none' | 'thisServer' | 'allServers'
  metadata?: JsonObject
  tools?: Tool[]
  toolChoice?: JsonObject
  _meta?: JsonObject
}

export interface SamplingMessage {
  role: 'user' | 'assistant'
  content: SamplingContent | SamplingContent[]
  _meta?: JsonObject
}

export type SamplingContent =
  | ContentBlock
  | { type: 'tool_use'; id: string; name: string; input: JsonObject; _meta?: JsonObject }
  | {
      type: 'tool_result'
      toolUseId: string
      content: ContentBlock[]
      structuredContent?: Json
      isError?: boolean
      _meta?: JsonObject
    }

export interface SamplingResult {
  role: 'user' | 'assistant'
  content: SamplingContent | SamplingContent[]
  /** The name of the model that was asked. */
  model: string
  stopReason?: string
  _meta?: JsonObject
}

/** A folder or file that a server may work in. */
export interface Root {
  /** `file://…` */
  uri: string
  name?: string
  _meta?: JsonObject
}

/** A skill as its server's entry says: what it is for, and which files it has. */
export interface Skill {
  /** Of its `SKILL.md`. */
  uri: string
  frontmatter: { name: string; description: string; [key: string]: Json }
  /** Its files, each with its size in bytes and `sha256:` digest; `dynamic` ones can't be checked. */
  resources: { uri: string; digest: string; size: number }[] | 'dynamic'
  _meta?: JsonObject
}

/** A file of a skill. */
export interface SkillFile {
  uri: string
  mimeType?: string
  /** What the digest is of; the caller owns them. */
  bytes: Uint8Array<ArrayBuffer>
  /** Where the server sent text; always of `SKILL.md`. */
  text?: string
  /** Whether size and digest are the entry's; false of `dynamic` skills only. */
  verified: boolean
  /** Of `SKILL.md`: equal to the entry's. */
  frontmatter?: JsonObject
  /** Of `SKILL.md`: the text after the frontmatter. */
  body?: string
}

/** A page of a list; asked for without `cursor`, the whole list. */
type Page<Key extends string, Item> = { [K in Key]: Item[] } & { nextCursor?: string }
type PageParams = { cursor?: string }

/** The port's methods: parameters and results by name. */
export interface Methods {
  'tools/list': { params: PageParams; result: Page<'tools', Tool> }
  'tools/call': { params: { name: string; arguments?: JsonObject }; result: CallToolResult }
  'resources/list': { params: PageParams; result: Page<'resources', Resource> }
  'resources/templates/list': { params: PageParams; result: Page<'resourceTemplates', ResourceTemplate> }
  'resources/read': { params: { uri: string }; result: ReadResourceResult }
  /** Updates of the resource are heard from now on, until as many `resources/unsubscribe` have come. */
  'resources/subscribe': { params: { uri: string }; result: object }
  'resources/unsubscribe': { params: { uri: string }; result: object }
  'prompts/list': { params: PageParams; result: Page<'prompts', Prompt> }
  'prompts/get': { params: { name: string; arguments?: Record<string, string> }; result: GetPromptResult }
  'completion/complete': {
    params: {
      ref: CompletionReference
      argument: { name: string; value: string }
      context?: { arguments: Record<string, string> }
    }
    result: CompleteResult
  }
  'skills/list': { params: object; result: { skills: Skill[] } }
  /** Without `ref`: its `SKILL.md`. */
  'skills/read': { params: { skill: Skill; ref?: string }; result: SkillFile }
  /** Asks whether the server still answers. */
  ping: { params: object; result: object }
}
export type Method = keyof Methods
