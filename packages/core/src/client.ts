import type { ConnectionEvent, EventFilter, McpConnection, RequestOptions, Unsubscribe } from './connection.js'
import type {
  CallToolResult,
  CompleteResult,
  CompletionReference,
  GetPromptResult,
  JsonObject,
  LogLevel,
  Prompt,
  ReadResourceResult,
  Resource,
  ResourceTemplate,
  Skill,
  SkillFile,
  Tool,
} from './protocol.js'

/** Not updates of resources: of which ones is for `listen` to say. */
type EventType = Exclude<ConnectionEvent['type'], 'resource-updated'>
type ResourceUpdated = Extract<ConnectionEvent, { type: 'resource-updated' }>
type EventOf<Type extends EventType> = Extract<ConnectionEvent, { type: Type }>

/** One server: the port with a typed method for each of MCP's. */
export interface McpClient extends McpConnection, AsyncDisposable {
  /**
   * Every tool, all pages. `request('tools/list', { cursor })` gives one raw page.
   *
   * This list and the others are asked for once, and known from then on: from a modern server for as long as it says
   * (`ttlMs`), from an earlier one until it says that the list has changed, which is heard while somebody listens.
   *
   * @param options.refresh - Asks the server, whatever is known. Default false.
   * @returns The list as the caller's own.
   */
  listTools(options?: RequestOptions): Promise<Tool[]>
  /**
   * Calls a tool and returns its result. A tool's own failure is a result with `isError`.
   *
   * @param args - The tool's arguments; must satisfy its `inputSchema`.
   * @param options.timeoutMs - Milliseconds until the final reply, progress or not; integer >= 1, or `null` for none.
   *   Default: the server's `callTimeoutMs` (300 000).
   * @returns The result; image, audio and blob data are bytes that the caller owns.
   * @throws {OutcomeUnknownError} `ERR_MCP_OUTCOME_UNKNOWN` when the reply was lost and the tool may have run.
   * @throws {TimeoutError} `ERR_MCP_TIMEOUT`; the server is told.
   * @throws {JsonRpcError} `ERR_MCP_JSONRPC` when the server answers with an error.
   * @throws The caller's `signal.reason` when aborted; the server is told.
   * @see {@link https://modelcontextprotocol.io/specification/2026-07-28/server/tools#calling-tools}
   */
  callTool(name: string, args?: JsonObject, options?: RequestOptions): Promise<CallToolResult>
  listResources(options?: RequestOptions): Promise<Resource[]>
  listResourceTemplates(options?: RequestOptions): Promise<ResourceTemplate[]>
  /** A resource's contents; blobs are bytes that the caller owns. */
  readResource(uri: string, options?: RequestOptions): Promise<ReadResourceResult>
  /**
   * Listens to updates of a resource, or of what lies below its URI. It is subscribed to for as long as somebody listens,
   * and again on each new session; listeners share one subscription.
   *
   * @returns What ends it.
   * @throws {JsonRpcError} `ERR_MCP_JSONRPC` when the server refuses, or does not offer it.
   * @throws As each request.
   */
  subscribeResource(
    uri: string,
    listener: (event: ResourceUpdated) => void,
    options?: RequestOptions,
  ): Promise<Unsubscribe>
  listPrompts(options?: RequestOptions): Promise<Prompt[]>
  getPrompt(name: string, args?: Record<string, string>, options?: RequestOptions): Promise<GetPromptResult>
  /** The skills that the server offers, as their entries say. No file of theirs is fetched. */
  listSkills(options?: RequestOptions): Promise<Skill[]>
  /**
   * Reads a file of a skill and checks it against the skill's entry: size, digest, and of `SKILL.md` the frontmatter.
   *
   * @param skill - An entry of `listSkills()`.
   * @param ref - A path below the skill's folder, such as `references/FORMS.md`, or a URI. Default: its `SKILL.md`.
   * @returns The file; its bytes are the caller's. `verified` is false of `dynamic` skills, which list no files.
   * @throws {InvalidResponseError} `ERR_MCP_INVALID_RESPONSE` when it is not what the entry says; `data.reason` is
   *   `unlisted`, `size`, `digest` or `frontmatter`.
   * @throws {ConfigError} `ERR_MCP_CONFIG` when `skill` is no entry of this server's.
   */
  readSkill(skill: Skill, ref?: string, options?: RequestOptions): Promise<SkillFile>
  /** Suggestions for an argument of a prompt or of a resource template. */
  complete(
    ref: CompletionReference,
    argument: { name: string; value: string },
    context?: { arguments: Record<string, string> },
    options?: RequestOptions,
  ): Promise<CompleteResult['completion']>
  /**
   * Listens to one type of event; `log` from level `debug` on, `wire` with bodies. Returns what ends it. For other levels,
   * and for updates of resources, there is `listen`.
   */
  on<Type extends EventType>(type: Type, listener: (event: EventOf<Type>) => void): Unsubscribe
}

/** The port with MCP's methods around it. Only the port is used, so it is the same above a worker. */
export function createClient(connection: McpConnection): McpClient {
  const { request } = connection
  return {
    get state() {
      return connection.state
    },
    request,
    listen: connection.listen,
    authorize: connection.authorize,
    close: connection.close,
    [Symbol.asyncDispose]: connection.close,
    listTools: async (options) => (await request('tools/list', {}, options)).tools,
    // Some servers refuse a call without arguments, though the specification allows it.
    callTool: (name, args = {}, options) => request('tools/call', { name, arguments: args }, options),
    listResources: async (options) => (await request('resources/list', {}, options)).resources,
    listResourceTemplates: async (options) =>
      (await request('resources/templates/list', {}, options)).resourceTemplates,
    readResource: (uri, options) => request('resources/read', { uri }, options),
    async subscribeResource(uri, listener, options) {
      // Before the server is asked, so that nothing it says is missed.
      const stop = connection.listen({ resources: [uri] }, (event) => {
        if (event.type === 'resource-updated') listener(event)
      })
      try {
        await request('resources/subscribe', { uri }, options)
      } catch (error) {
        stop()
        throw error
      }
      let stopped = false
      return () => {
        if (stopped) return
        stopped = true
        stop()
        // With the connection it is over anyway.
        request('resources/unsubscribe', { uri }).catch(() => {})
      }
    },
    listPrompts: async (options) => (await request('prompts/list', {}, options)).prompts,
    getPrompt: (name, args, options) => request('prompts/get', { name, ...(args && { arguments: args }) }, options),
    listSkills: async (options) => (await request('skills/list', {}, options)).skills,
    readSkill: (skill, ref, options) => request('skills/read', { skill, ...(ref !== undefined && { ref }) }, options),
    complete: async (ref, argument, context, options) =>
      (await request('completion/complete', { ref, argument, ...(context && { context }) }, options)).completion,
    on: (type, listener) =>
      connection.listen(filters[type], (event) => {
        if (event.type === type) listener(event as EventOf<typeof type>)
      }),
  }
}

const allLogs: LogLevel = 'debug'

const filters: Record<EventType, EventFilter> = {
  state: { state: true },
  'session-renewed': { state: true },
  'list-changed': { lists: true },
  log: { log: allLogs },
  finding: {},
  wire: { wire: 'bodies' },
  authorization: { authorization: true },
}
