import type {
  CallToolResult,
  ConnectionEvent,
  ConnectionState,
  ErrorData,
  GetPromptResult,
  JsonObject,
  Progress,
  Prompt,
  ReadResourceResult,
  Resource,
  ResourceTemplate,
  Tool,
} from '@x/web'
import type { Draft } from './drafts.js'
import type { Settings, SettingsProblems } from './settings.js'

/** Where the one connection of the page stands. */
export type Connection =
  | { phase: 'idle' }
  | { phase: 'connecting'; url: string }
  | { phase: 'failed'; url: string; error: ErrorData }
  | { phase: 'open'; url: string; state: ConnectionState }

/** A server behind the gateway. */
export interface GatewayServer {
  name: string
  title: string
}

/** The gateway beside the page; `absent` where the page was opened without its token. */
export type Gateway =
  | { status: 'absent' }
  | { status: 'opening' }
  | { status: 'failed'; reason: string }
  | { status: 'ready'; servers: readonly GatewayServer[]; chosen: string }

/** A list of the server. While it is read again the old items stay. */
export interface List<Item> {
  status: 'idle' | 'loading' | 'ready' | 'failed'
  items: readonly Item[]
  error?: ErrorData
}

export interface Lists {
  tools: List<Tool>
  resources: List<Resource>
  templates: List<ResourceTemplate>
  prompts: List<Prompt>
}

export type Section = 'tools' | 'resources' | 'prompts' | 'events'

/** What is chosen in each section: a tool's name, a resource's URI or a template's, a prompt's name. */
export type Selection = Partial<Record<'tools' | 'resources' | 'prompts', string>>

export type RunStatus = 'running' | 'done' | 'tool-error' | 'failed' | 'cancelled'

interface RunCommon {
  id: number
  /** The tool's name, the resource's URI or the prompt's name. */
  subject: string
  status: RunStatus
  /** Milliseconds since the epoch. */
  startedAt: number
  /** Milliseconds that it took; set at the end. */
  tookMs?: number
  /** The newest {@link keptProgress}, in the order of arrival. */
  progress: readonly Progress[]
  /** How many arrived in all. */
  progressCount: number
  error?: ErrorData
}

/** One call of a tool, read of a resource or get of a prompt. */
export type Run =
  | (RunCommon & { kind: 'tool'; args: JsonObject; result?: CallToolResult })
  | (RunCommon & { kind: 'resource'; result?: ReadResourceResult })
  | (RunCommon & { kind: 'prompt'; args: Record<string, string>; result?: GetPromptResult })

export const keptProgress = 200
/** Results hold bytes, up to `maxResponseBytes` each. */
export const keptRuns = 20
export const keptEvents = 500

/** An event of the connection, with its time. */
interface EventEntry {
  id: number
  at: number
  event: ConnectionEvent
}

export interface PlaygroundState {
  settings: Settings
  problems: SettingsProblems
  connection: Connection
  gateway: Gateway
  lists: Lists
  section: Section
  selection: Selection
  /** What was typed for each tool. */
  drafts: Readonly<Record<string, Draft>>
  /** What was typed for each prompt and each resource template, by argument. */
  texts: Readonly<Record<string, Record<string, string>>>
  /** Newest first. */
  runs: readonly Run[]
  /** Oldest first. */
  events: readonly EventEntry[]
}

const emptyLists: Lists = {
  tools: { status: 'idle', items: [] },
  resources: { status: 'idle', items: [] },
  templates: { status: 'idle', items: [] },
  prompts: { status: 'idle', items: [] },
}

/** What belongs to one connection, as it is before there is one. */
export const nothingConnected = {
  lists: emptyLists,
  section: 'tools',
  selection: {},
  drafts: {},
  texts: {},
  runs: [],
  events: [],
} as const satisfies Partial<PlaygroundState>

/** The newest run of one subject. */
export function latestRun(runs: readonly Run[], kind: Run['kind'], subject: string): Run | undefined {
  return runs.find((run) => run.kind === kind && run.subject === subject)
}
