import type { AuthConfig, ConnectOptions, JsonObject, McpClient, ServerConfig } from '@x/core'
import type { SignIn } from './sign-in.js'

/** What the suite asks of a client under test. */
export interface Job {
  scenario: string
  serverUrl: string
  revision: string
  /** Data that some scenarios hand to the client. */
  context: JsonObject
}

/** What the client does not offer yet. A scenario that needs it fails until it does, and then the manifest is stale. */
interface Later {
  listSkills?(): Promise<object[]>
  readSkill?(skill: object, reference?: string): Promise<unknown>
}
export type Client = McpClient & Later

/** How a client is opened: `connect` of core in Node, of a web host in a page. */
export type Connect = (server: ServerConfig, hooks: ConnectOptions) => Promise<Client>

export interface Steps {
  /** How the client is configured for what the suite has told. */
  auth?(context: JsonObject, signIn: SignIn): AuthConfig | Promise<AuthConfig>
  hooks?: ConnectOptions
  /** Functions of the app that need what the suite has told. */
  hooksFor?(context: JsonObject): ConnectOptions
  /** The suite's server speaks whatever it is asked for, not the revision that its authorization is of. */
  anyRevision?: true
  /** The client has to refuse what it meets, by one of these codes. */
  refused?: readonly string[]
  run(client: Client, context: JsonObject): Promise<unknown>
}

/** @throws Error where the tool gives anything but one block of this text. */
export async function expectText(client: Client, tool: string, args: JsonObject, text: string): Promise<void> {
  const { content } = await client.callTool(tool, args)
  const [block] = content
  if (content.length !== 1 || block?.type !== 'text' || block.text !== text)
    throw new Error(`${tool} gave ${JSON.stringify(content)}, not the text "${text}"`)
}
