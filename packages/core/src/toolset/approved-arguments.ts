import { onAbort, untilAborted } from '../abort.js'
import { DeniedError, McpError } from '../errors.js'
import type { JsonObject } from '../protocol.js'
import type { Answered, Approval } from './approval.js'
import type { ToolHandle } from './tools.js'

export interface Asking {
  approval: () => Promise<Approval>
  handle: ToolHandle
  args: JsonObject | undefined
  /** Any of these ends the waiting. */
  signals: (AbortSignal | undefined)[]
  /** The tool as the set has it once there is an answer. */
  now(): ToolHandle
}

/**
 * Asks for approval of a call.
 *
 * @returns The arguments to send.
 * @throws {DeniedError} `ERR_MCP_DENIED` when the answer is no, or none, or the tool is another by then.
 * @throws The reason of the signal that fires; what `now` throws.
 */
export async function approvedArguments({ approval, handle, args, signals, now }: Asking): Promise<JsonObject> {
  const { server, tool } = handle
  const denied = (why: string, cause?: unknown) =>
    new DeniedError(`The call of "${tool.name}" on the server "${server}" was denied${why && `: ${why}`}`, {
      cause,
      data: { server, tool: tool.name, method: 'tools/call', outcome: 'not-run' },
    })
  const waiting = new AbortController()
  const stops = signals.map((signal) => onAbort(signal, () => waiting.abort(signal?.reason)))
  const asked = async (): Promise<Answered> => {
    try {
      const { ask, isSame } = await approval()
      const answered = await ask(handle, args, waiting.signal)
      if ('denied' in answered) return answered
      // Comparing takes its time too: whatever the list has become by then is compared in turn.
      for (let compared: ToolHandle | undefined, latest = now(); latest !== compared; latest = now()) {
        compared = latest
        if (!(await isSame(handle, compared))) return { denied: 'the tool was changed while it was asked for' }
      }
      return answered
    } catch (cause) {
      if (McpError.is(cause)) throw cause
      return { denied: 'it could not be approved', cause }
    }
  }
  try {
    const answered = await untilAborted(waiting.signal, asked())
    if ('args' in answered) return answered.args
    throw denied(answered.denied, answered.cause)
  } finally {
    for (const stop of stops) stop()
  }
}
