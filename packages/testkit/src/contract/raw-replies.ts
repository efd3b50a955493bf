import type { Era } from '@x/core'
import { eventStream, type FloodOptions, flood } from '../faults.js'
import { floodBytes, type ReplyForm } from './fixtures.js'

/** A tool call that is answered below the SDK, byte by byte. */
export interface RawCall {
  era: Era
  id: unknown
  args: Record<string, unknown>
  progressToken: unknown
  /** Told how many bytes had gone out when the client left. */
  onCut(bytes: number): void
}

/** Tools whose replies no SDK would write. */
export const rawReplies: Readonly<Record<string, (call: RawCall) => Response>> = {
  burst: answerBurst,
  flood: answerFlood,
  reply: answerReply,
}

const encode = (value: string) => new TextEncoder().encode(value)

function envelope(call: RawCall, text: string): string {
  const result = { ...resultFields(call), content: [{ type: 'text', text }] }
  return JSON.stringify({ jsonrpc: '2.0', id: call.id, result })
}

const resultFields = (call: RawCall) => (call.era === 'modern' ? { resultType: 'complete' } : {})

function answerFlood(call: RawCall): Response {
  const { bytes = floodBytes, form = 'json' } = call.args as Pick<FloodOptions, 'form'> & { bytes?: number }
  return flood({ bytes, form, id: call.id, result: resultFields(call), onCancel: call.onCut })
}

/** Progress and the result in one chunk, as a proxy that buffers passes them on. */
function answerBurst(call: RawCall): Response {
  const { progressToken } = call
  const steps = Array.from({ length: Number(call.args.steps) }, (_, index) => ({
    jsonrpc: '2.0',
    method: 'notifications/progress',
    params: { progressToken, progress: index + 1, total: call.args.steps },
  }))
  return eventStream(...(progressToken === undefined ? [] : steps), JSON.parse(envelope(call, 'burst')))
}

function answerReply(call: RawCall): Response {
  const { form, text } = call.args as { form: ReplyForm; text: string }
  const json = envelope(call, text)
  const pieces: Record<ReplyForm, () => string[]> = {
    json: () => [json],
    sse: () => [`event: message\ndata: ${json}\n\n`],
    // What IIS and some Java servers write: a byte order mark, CRLF, comments as keep-alive, ids, a retry hint.
    'sse-crlf': () => [
      '\ufeff: connected\r\n\r\n',
      'retry: 5000\r\n\r\n',
      `: ping\r\nid: 7\r\nevent: message\r\ndata: ${json}\r\n\r\n`,
    ],
    'sse-bytes': () => [`event: message\ndata: ${json}\n\n`],
    'sse-lines': () => {
      const lines = JSON.stringify(JSON.parse(json), null, 2).split('\n')
      return [...lines.map((line) => `data: ${line}\n`), '\n']
    },
    'sse-untitled': () => [`data:${json}\n\n`],
  }
  let chunks = pieces[form]().map(encode)
  // Proxies cut where they like, also inside a character.
  if (form === 'sse-bytes') chunks = chunks.flatMap((chunk) => [...chunk].map((byte) => Uint8Array.of(byte)))
  const contentType = form === 'json' ? 'application/json; charset=utf-8' : 'text/event-stream; charset=utf-8'
  return new Response(ReadableStream.from(chunks), { headers: { 'content-type': contentType } })
}
