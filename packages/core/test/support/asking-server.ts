import type { Era } from '../../src/protocol.js'
import { encode, eventStreamType } from './byte-source.js'
import { legacyServer, modernServer, reply } from './mcp-server.js'
import type { Sent } from './scripted-fetch.js'

export interface Question {
  method: string
  params?: object
}

/** What the client said to one question. */
export interface Said {
  result?: { [key: string]: unknown }
  error?: { code: number; message: string }
}

type Answer = (sent: Sent) => Response | Promise<Response>

/**
 * A server that asks these questions, by key, in each call of a tool, and gives the answers as the call's text. A legacy
 * one asks on the call's stream, a modern one in a round.
 */
export function askingServer(era: Era, questions: Record<string, Question>, own: Record<string, Answer> = {}): Answer {
  return era === 'modern' ? modernAsking(questions, own) : legacyAsking(questions, own)
}

function modernAsking(questions: Record<string, Question>, own: Record<string, Answer>): Answer {
  return modernServer({
    'tools/call': (sent) => {
      const { inputResponses } = sent.body?.params ?? {}
      if (!inputResponses) return reply(sent, { resultType: 'input_required', inputRequests: questions })
      const said = Object.entries(inputResponses).map(([key, result]) => [key, { result }])
      return reply(sent, { content: [{ type: 'text', text: JSON.stringify(Object.fromEntries(said)) }] })
    },
    ...own,
  })
}

function legacyAsking(questions: Record<string, Question>, own: Record<string, Answer>): Answer {
  let calls = 0
  const waiting = new Map<string, (said: Said) => void>()
  return legacyServer({
    GET: () => new Response(null, { status: 405 }),
    'tools/call': (sent) => {
      const call = ++calls
      const said: Record<string, Said> = {}
      const stream = eventStream()
      for (const [key, question] of Object.entries(questions)) {
        const id = `${key}-${call}`
        waiting.set(id, (answer) => {
          said[key] = answer
          if (Object.keys(said).length < Object.keys(questions).length) return
          stream.push({ jsonrpc: '2.0', id: sent.body?.id, result: textOf(said) })
          stream.end()
        })
        stream.push({ jsonrpc: '2.0', id, ...question })
      }
      return stream.response
    },
    // What has no method is an answer.
    POST: (sent) => {
      const { id, result, error } = sent.body as unknown as { id: string } & Said
      waiting.get(id)?.({ ...(result && { result }), ...(error && { error }) })
      return new Response(null, { status: 202 })
    },
    ...own,
  })
}

const textOf = (said: object) => ({ content: [{ type: 'text', text: JSON.stringify(said) }] })

/** An event stream whose messages are written as the test goes on. */
export function eventStream() {
  let controller!: ReadableStreamDefaultController<Uint8Array>
  const body = new ReadableStream<Uint8Array>({
    start: (given) => {
      controller = given
    },
  })
  return {
    response: new Response(body, { headers: eventStreamType }),
    push: (message: object) => controller.enqueue(encode(`data: ${JSON.stringify(message)}\n\n`)),
    end: () => controller.close(),
  }
}

/** The answers that the server got, by key. */
export function saidIn(result: { content: { type: string; text?: string }[] }): Record<string, Said> {
  return JSON.parse(result.content[0]?.text ?? '')
}

/** Lets everything happen that waits for no time. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate)
}
