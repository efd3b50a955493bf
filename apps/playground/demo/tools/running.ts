import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { defineTool, errorResult, textResult } from '../tool.js'

const MIB = 1024 * 1024
const MAX_RESULT_BYTES = 64 * MIB

export const progress = defineTool({
  name: 'progress',
  title: 'Work with progress',
  description: 'Works in steps and reports each one as progress, with a message.',
  input: z.object({
    steps: z.int().min(1).max(100).default(5).meta({ title: 'Steps' }),
    delayMs: z.int().min(0).max(5000).default(400).meta({ title: 'Delay', description: 'Milliseconds per step.' }),
  }),
  async run({ steps, delayMs }, { signal, progress }) {
    for (let step = 1; step <= steps; step++) {
      await sleep(delayMs, undefined, { signal })
      await progress({ progress: step, total: steps, message: `Step ${step} of ${steps}` })
    }
    return textResult(`Done in ${steps} ${steps === 1 ? 'step' : 'steps'}.`)
  },
})

export const slow = defineTool({
  name: 'slow',
  title: 'Slow answer',
  description: 'Sleeps before it answers. Cancel it: the server stops at once.',
  input: z.object({
    durationMs: z
      .int()
      .min(0)
      .max(600_000)
      .default(10_000)
      .meta({ title: 'Duration', description: 'Milliseconds to sleep.' }),
  }),
  async run({ durationMs }, { signal }) {
    await sleep(durationMs, undefined, { signal })
    return textResult(`Slept for ${durationMs} ms.`)
  },
})

export const largeResult = defineTool({
  name: 'large_result',
  title: 'Large result',
  description: 'Returns as much text as you ask for, to try size limits: up to 64 MiB.',
  input: z.object({
    sizeBytes: z
      .int()
      .min(1)
      .max(MAX_RESULT_BYTES)
      .default(MIB)
      .meta({ title: 'Size', description: 'Bytes of text; 1048576 is 1 MiB.' }),
  }),
  run: ({ sizeBytes }) => textResult(textOf(sizeBytes)),
})

export const error = defineTool({
  name: 'error',
  title: 'Failing tool',
  description: 'Fails: returns a result that is marked as an error, with your message as its text.',
  input: z.object({
    message: z
      .string()
      .min(1)
      .max(1000)
      .default('The demo tool failed, as it was asked to.')
      .meta({ title: 'Message' }),
  }),
  run: ({ message }) => errorResult(message),
})

export const log = defineTool({
  name: 'log',
  title: 'Log messages',
  description: 'Sends one log message of each level from debug to error; the client sees those that it wants.',
  input: z.object({ message: z.string().min(1).max(1000).default('Something happened.').meta({ title: 'Message' }) }),
  async run({ message }, { log }) {
    const levels = ['debug', 'info', 'notice', 'warning', 'error'] as const
    for (const level of levels) await log(level, message)
    return textResult(`Logged at ${levels.join(', ')}.`)
  },
})

function textOf(sizeBytes: number): string {
  const line = 'The quick brown fox jumps over the lazy dog, again and again.\n'
  return line.repeat(Math.ceil(sizeBytes / line.length)).slice(0, sizeBytes)
}
