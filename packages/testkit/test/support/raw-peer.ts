// A client of no library: what it sends and reads is the protocol as it is written down.
export interface RawMessage {
  id?: number | string
  method?: string
  params?: Record<string, unknown>
  result?: Record<string, unknown>
  error?: { code: number; message: string; data?: unknown }
}

export interface RawPeer {
  /** The messages of the reply, one after another. */
  send(method: string, params?: Record<string, unknown>): AsyncGenerator<RawMessage>
  /** The message that ends the reply; what the server asks before it is answered so. */
  request(
    method: string,
    params?: Record<string, unknown>,
    answer?: (question: RawMessage) => unknown,
  ): Promise<RawMessage>
  /** The stream on which the server speaks first. */
  listen(notifications?: Record<string, unknown>): Promise<AsyncGenerator<RawMessage>>
  /** HTTP, with this session's headers. */
  post(message: object): Promise<Response>
}

type Headers = Record<string, string>

const identity = { name: 'raw', version: '1' }
const accepted = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }

export function connectRawModern(url: string, capabilities: object = {}): RawPeer {
  const meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': identity,
    'io.modelcontextprotocol/clientCapabilities': capabilities,
  }
  return createPeer(url, ({ method, params = {} }) => {
    const name = params.name ?? params.uri ?? params.taskId
    const headers = {
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': String(method),
      ...(typeof name === 'string' && { 'mcp-name': name }),
    }
    return { headers, params: { ...params, _meta: { ...meta, ...(params._meta as object) } } }
  })
}

export async function connectRawLegacy(url: string, capabilities: object = {}): Promise<RawPeer> {
  const params = { protocolVersion: '2025-11-25', capabilities, clientInfo: identity }
  const body = JSON.stringify({ jsonrpc: '2.0', id: 'initialize', method: 'initialize', params })
  const response = await fetch(url, { method: 'POST', headers: accepted, body })
  const session = { 'mcp-session-id': response.headers.get('mcp-session-id')!, 'mcp-protocol-version': '2025-11-25' }
  await response.text()
  const peer = createPeer(url, ({ params }) => ({ headers: session, params }), session)
  await peer.post({ method: 'notifications/initialized' })
  return peer
}

function createPeer(
  url: string,
  complete: (message: RawMessage) => { headers: Headers; params?: Record<string, unknown> | undefined },
  session?: Headers,
): RawPeer {
  let lastId = 0
  const post = (message: RawMessage) => {
    const { headers, params } = complete(message)
    const body = JSON.stringify({ jsonrpc: '2.0', ...message, ...(params && { params }) })
    return fetch(url, { method: 'POST', headers: { ...accepted, ...headers }, body })
  }
  const peer: RawPeer = {
    post,
    async *send(method, params) {
      yield* readMessages(await post({ id: ++lastId, method, ...(params && { params }) }))
    },
    async request(method, params, answer = () => ({})) {
      for await (const message of peer.send(method, params)) {
        if (message.method === undefined) return message
        if (message.id !== undefined) await post({ id: message.id, result: answer(message) as Record<string, unknown> })
      }
      throw new Error(`the reply to ${method} has no result`)
    },
    async listen(notifications = {}) {
      if (!session) return peer.send('subscriptions/listen', { notifications })
      return readMessages(await fetch(url, { headers: { accept: 'text/event-stream', ...session } }))
    },
  }
  return peer
}

async function* readMessages(response: Response): AsyncGenerator<RawMessage> {
  if (!response.headers.get('content-type')?.startsWith('text/event-stream')) {
    yield (await response.json()) as RawMessage
    return
  }
  let rest = ''
  for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
    const events = (rest + chunk).split('\n\n')
    rest = events.pop() ?? ''
    for (const event of events) {
      const data = /^data: (.+)$/m.exec(event)?.[1]
      if (data) yield JSON.parse(data) as RawMessage
    }
  }
}
