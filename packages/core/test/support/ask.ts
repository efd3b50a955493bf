import { onTestFinished } from 'vitest'
import type { ConnectOptions, ServerConfig } from '../../src/config.js'
import type { RequestOptions } from '../../src/connection.js'
import type { Era, Finding } from '../../src/protocol.js'
import { askingServer, type Question, saidIn } from './asking-server.js'
import { open } from './open.js'
import type { Sent } from './scripted-fetch.js'

/** A connection with the findings that it reports. */
export async function openWith(
  server: (sent: Sent) => Response | Promise<Response>,
  hooks: ConnectOptions = {},
  config: Partial<ServerConfig> = {},
) {
  const findings: Finding[] = []
  const { opening, ...rest } = open(server, {
    config,
    hooks: {
      ...hooks,
      onEvent: (event) => void (event.type === 'finding' && findings.push(event.finding)),
    },
  })
  const connection = await opening
  onTestFinished(() => connection.close())
  const call = (options?: RequestOptions) =>
    connection.request('tools/call', { name: 'ask', arguments: { a: 1 } }, options)
  return { connection, findings, call, ...rest }
}

/** What a server of this era is answered to one question in a call. */
export async function ask(era: Era, question: Question, hooks: ConnectOptions = {}) {
  const { call, findings } = await openWith(askingServer(era, { q: question }), hooks)
  const { q } = saidIn((await call()) as Parameters<typeof saidIn>[0])
  return { said: q!, findings }
}

/** A hook that waits until it is told what to answer, and what it was asked. */
export function heldHook<Request, Result>() {
  const asked: Request[] = []
  let tell = (_result: Result) => {}
  let begun = () => {}
  const called = new Promise<void>((resolve) => {
    begun = resolve
  })
  return {
    asked,
    called,
    answer: (result: Result) => tell(result),
    hook(request: Request): Promise<Result> {
      asked.push(request)
      begun()
      return new Promise((resolve) => {
        tell = resolve
      })
    },
  }
}
