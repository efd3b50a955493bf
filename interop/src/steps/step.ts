import type { ConnectOptions, McpClient, ServerConfig } from '@x/core'

/** The hooks by which a server asks. */
export type Dialogues = Required<Pick<ConnectOptions, 'elicit' | 'sample' | 'roots'>>

/** How a client is opened: `connect` of core in Node, of a web host in a page. */
export type Connect = (server: ServerConfig, hooks: ConnectOptions) => Promise<McpClient>

/** What a step is given. */
export interface Scene {
  /** Connected to the server, with hooks for all dialogues; all steps of a server share it. */
  client: McpClient
  /** What the hooks of `client` do; a step puts in what it expects to be asked. Otherwise they decline. */
  answers: Partial<Dialogues>
  /** A further connection to the same server; it is closed after the step. */
  open(config?: Partial<ServerConfig>, hooks?: ConnectOptions): Promise<McpClient>
}

/** Something that an app does with a server, and what has to come of it. */
export interface Step {
  name: string
  /** @throws Where something else came of it. */
  run(scene: Scene): Promise<void>
}

/** What is done with one server. */
export interface ServerSteps {
  /** How the client is configured beside the URL. */
  config?: Partial<ServerConfig>
  steps: readonly Step[]
}
