import { type ScriptedServer, startScriptedServer } from '@x/testkit'

export interface RecordedRequest {
  method: string
  path: string
  headers: Record<string, string>
  body: string
}

/** A server that answers by a function and remembers all that reached it. */
export interface RecordingUpstream extends ScriptedServer {
  requests: RecordedRequest[]
}

export async function startRecordingUpstream(
  answer: (request: RecordedRequest, signal: AbortSignal) => Response | Promise<Response>,
): Promise<RecordingUpstream> {
  const requests: RecordedRequest[] = []
  const server = await startScriptedServer(async (request) => {
    const recorded: RecordedRequest = {
      method: request.method,
      path: new URL(request.url).pathname,
      headers: Object.fromEntries(request.headers),
      body: '',
    }
    // Before the body is read: its head alone would be too much already.
    requests.push(recorded)
    recorded.body = await request.text()
    return answer(recorded, request.signal)
  })
  return { ...server, requests }
}

/** Answers every JSON-RPC request with an empty result, and notifications with 202. */
export function acknowledge({ body }: RecordedRequest): Response {
  const { id } = JSON.parse(body || '{}') as { id?: unknown }
  return id === undefined ? new Response(null, { status: 202 }) : Response.json({ jsonrpc: '2.0', id, result: {} })
}
