import type { JsonObject } from '../../protocol.js'
import type { Deadline } from '../deadline.js'
import { isObject } from './answer.js'
import type { Dialogues } from './dialogues.js'

const urlElicitationRequired = -32042
/** Elicitations that one refusal may ask for. */
const maxElicitations = 10
/** Milliseconds that a server has to tell that all is complete. Many never do: then the request is sent again anyway. */
const completionMs = 60_000

export interface CompleteOptions {
  tool?: string | undefined
  dialogues: Dialogues
  deadline: Deadline
  setTimer(ms: number, run: () => void): () => void
  /** Fires when nobody waits for the request any more. */
  signal: AbortSignal
}

/**
 * When a server refused a request until a person has visited some URLs: puts each to the hook, and waits until the server
 * tells that they are complete.
 *
 * @returns Whether the request may be sent again; not when the error is another, or one of the URLs was declined.
 * @see {@link https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation#url-elicitation-required-error}
 */
export async function completeRequired(
  error: unknown,
  { tool, dialogues, deadline, setTimer, signal }: CompleteOptions,
): Promise<boolean> {
  const elicitations = readElicitations(error)
  if (!elicitations || signal.aborted || !dialogues.offers('elicitation/create')) return false
  const expected = dialogues.expectCompletion(elicitations.map(({ elicitationId }) => elicitationId))
  try {
    const answers = await Promise.all(
      elicitations.map((params) => dialogues.answer({ method: 'elicitation/create', params, tool, signal })),
    )
    if (!answers.every((answer) => 'result' in answer && answer.result.action === 'accept')) return false
    deadline.progress()
    // What is left of the deadline is for the request itself.
    await expected.wait(Math.min(completionMs, deadline.remainingMs() / 2), signal, setTimer)
    return true
  } finally {
    expected.end()
    deadline.progress()
  }
}

type Elicitation = JsonObject & { elicitationId: string }

function readElicitations(error: unknown): Elicitation[] | undefined {
  const { code, data } = (error ?? {}) as { code?: unknown; data?: unknown }
  const elicitations = code === urlElicitationRequired && isObject(data) ? data.elicitations : undefined
  if (!Array.isArray(elicitations) || elicitations.length === 0 || elicitations.length > maxElicitations)
    return undefined
  return elicitations.every(isElicitation) ? elicitations : undefined
}

const isElicitation = (value: unknown): value is Elicitation =>
  isObject(value) && value.mode === 'url' && typeof value.elicitationId === 'string'
