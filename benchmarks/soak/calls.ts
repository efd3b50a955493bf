import { setImmediate as turn } from 'node:timers/promises'
import type { McpClient } from '@x/core'
import { type FaultScript, type ReplyForm, resultText } from '@x/testkit/faulty'

/** Replies that never end: what the aborted calls wait for. */
export const stalled: Record<string, FaultScript> = {
  'stalled-json': { era: 'modern', form: 'json', fault: 'stall', offset: 90 },
  'stalled-sse': { era: 'modern', form: 'sse', fault: 'stall', offset: 300 },
}

const forms: ReplyForm[] = ['json', 'sse', 'json-chunked', 'sse-ids']

/**
 * The call of this number: every form of reply in turn, every fifth call with progress, every twentieth aborted.
 *
 * @param signal - Shared by many calls, as an app shares a page's.
 * @throws Error when the call's outcome is not what it has to be.
 */
export async function makeCall(client: McpClient, number: number, signal: AbortSignal): Promise<void> {
  if (number % 20 === 0) return abortedCall(client, number % 40 === 0 ? 'stalled-json' : 'stalled-sse')
  const form = forms[number % forms.length]!
  const key = `call-${number % 10}`
  let progress = 0
  const wantsProgress = number % 5 === 0
  const { content } = await client.callTool(
    'run',
    { key, form },
    { signal, ...(wantsProgress && { onProgress: () => void progress++ }) },
  )
  const [block] = content
  if (block?.type !== 'text' || block.text !== resultText(key))
    throw new Error(`call ${number} gave ${JSON.stringify(content)}`)
  if (progress !== (wantsProgress && form.startsWith('sse') ? 1 : 0))
    throw new Error(`call ${number} told of progress ${progress} times`)
}

async function abortedCall(client: McpClient, key: string): Promise<void> {
  const abort = new AbortController()
  const reason = new Error('enough')
  const calling = client.callTool('run', { key }, { signal: abort.signal, onProgress() {} })
  const ended = calling.then(
    () => 'a result',
    (error) => error,
  )
  for (let turns = 0; turns < 3; turns++) await turn()
  abort.abort(reason)
  const outcome = await ended
  if (outcome !== reason) throw new Error('an aborted call did not end with the reason', { cause: outcome })
}
