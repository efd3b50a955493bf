/** What the contract's server offers and its suite expects: names, numbers and bytes that both sides know. */

export const serverName = 'contract'
export const serverVersion = '1.2.3'
export const instructions = 'A server to test clients against.'

/** What the server and one item of each list have to show for themselves. */
export const icons = [{ src: 'https://contract.example/icon.svg', mimeType: 'image/svg+xml', sizes: ['any'] }]
export const serverIdentity = {
  name: serverName,
  version: serverVersion,
  title: 'The contract',
  description: 'Tests clients.',
  websiteUrl: 'https://contract.example/',
  icons,
}
export const displayed = { title: 'A title to be shown', icons }

/** Items on each page of every list. */
export const pageSize = 10

/** The tools that do something, in the order of the list. */
export const workingTools = [
  'echo',
  'add',
  'content',
  'progress',
  'burst',
  'hang',
  'slow',
  'meet',
  'fail',
  'rpc-error',
  'big',
  'flood',
  'reply',
  'grüße-世界',
  'ask',
  'visit',
  'log',
  'task',
  'task-or-not',
] as const
export type WorkingTool = (typeof workingTools)[number]

/** Every tool, over three pages. */
export const toolNames: readonly string[] = [...workingTools, ...numbered('filler', 10)]

/** Resources whose content the suite reads. */
export const textResource = {
  uri: 'contract://text',
  mimeType: 'text/plain',
  text: 'A text, with “quotes”, 🦊 and 世界.',
}
export const blobResource = { uri: 'contract://blob', mimeType: 'application/octet-stream' }

/** Every resource's URI, over three pages. */
export const resourceUris: readonly string[] = [
  textResource.uri,
  blobResource.uri,
  ...numbered('contract://filler', 20),
]

export const resourceTemplates: readonly string[] = numbered('contract://template', 21).map((uri) => `${uri}/{id}`)

/** Every prompt's name, over three pages. */
export const promptNames: readonly string[] = ['greet', 'show', ...numbered('prompt', 20)]

/** Lengths that leave each remainder of three, so that base64 ends in `=`, `==` and neither. */
export const knownBytes = {
  image: everyByte(1024, 7),
  audio: everyByte(1025, 11),
  blob: everyByte(70_002, 251),
} as const

/** What the tool `rpc-error` answers. */
export const rpcError = { code: -32050, message: 'the contract refuses', data: { hint: 'try another', depth: [1, 2] } }

/** What the tool `fail` reports. */
export const failText = 'the disk is full'

/** What `flood` sends, unless told otherwise. */
export const floodBytes = 64 * 1024 * 1024

/** Forms in which the tool `reply` answers: all of them legal, none of them rare. */
export const replyForms = ['json', 'sse', 'sse-crlf', 'sse-bytes', 'sse-lines', 'sse-untitled'] as const
export type ReplyForm = (typeof replyForms)[number]

/** Credentials that the server recognises; its log holds only that they came. */
export const credentials = { bearer: 'contract-bearer-4711', apiKeyHeader: 'X-Api-Key', apiKey: 'contract-key-0815' }

/** Headers by which a host's realm tells the server where it runs and which timers it asked for. */
export const realmHeader = 'x-contract-realm'
export const timersHeader = 'x-contract-timers'

/** The header in which a gateway tells the server of the request that it was sent. */
export const callerHeader = 'x-contract-caller'

/** Where a Worker says that it is, by `navigator.userAgent`. */
export const workerdRealm = 'Cloudflare-Workers'

/** What the gateway accepts of one reply. */
export const gatewayResponseBytes = 8 * 1024 * 1024

/** How the server answers for a session that it forgot: as it should, in other clothes, or with no JSON-RPC at all. */
export const forgottenAnswers = ['404', '400', 'bare'] as const
export type ForgottenAnswer = (typeof forgottenAnswers)[number]

/** A tool's name behind the gateway: legal for models, and where it isn't so by itself, marked with a hash of its own. */
export function gatewayToolName(tool: string): string {
  return tool === 'grüße-世界' ? `${serverName}__gr__e-___6ow75r8w` : `${serverName}__${tool}`
}

/** `_meta` that the results of the tool `content`, of `contract://text` and of the prompt `greet` carry. */
export const resultMeta = { 'contract/result': { for: 'apps', deep: [1, { two: 2 }] } }

/** What the tool `log` says, a message at each level, least severe first. */
export const logLevels = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'] as const
export const logger = 'contract-log'

/** What a test may let travel along, to find it in the log. */
export const noteHeader = 'x-contract-note'
export const metaNoteKey = 'contract/note'

/** Names of one server's values that begin alike, so that a completion can leave some out. */
export const completions = {
  prompt: ['Ada', 'Alan', 'Grace'],
  resource: ['one', 'other'],
  /** Where the other arguments say `{ lang: 'de' }`. */
  german: ['Anna', 'Anton'],
} as const

function numbered(name: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) => `${name}-${String(index + 1).padStart(2, '0')}`)
}

// An odd factor makes each run of 256 a permutation of all byte values, and the runs differ from each other.
function everyByte(length: number, factor: number): Uint8Array<ArrayBuffer> {
  return Uint8Array.from({ length }, (_, index) => (index * factor + (index >> 8) * 3) & 0xff)
}
