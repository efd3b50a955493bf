import { type ContractAction, type ContractControl, type LogEntry, type LogMatch, matches } from './log.js'

/** The server's own side of its log. */
export interface ContractRecord extends Omit<ContractControl, 'act'> {
  add(entry: LogEntry): void
}

export function createRecord(): ContractRecord {
  const entries: LogEntry[] = []
  const waiting = new Set<() => void>()
  return {
    add(entry) {
      entries.push(entry)
      for (const check of [...waiting]) check()
    },
    log: async () => [...entries],
    reset: async () => {
      entries.length = 0
    },
    waitFor: (match, count = 1) =>
      new Promise((resolve) => {
        const check = () => {
          const found = entries.filter((entry) => matches(entry, match))
          if (found.length < count) return
          waiting.delete(check)
          resolve(found)
        }
        waiting.add(check)
        check()
      }),
  }
}

type ControlCall =
  | { call: 'log' }
  | { call: 'reset' }
  | { call: 'waitFor'; match: LogMatch; count?: number }
  | { call: 'act'; action: ContractAction }

/** Answers a request to `/control`; a `waitFor` is answered when it is fulfilled. */
export async function answerControl(control: ContractControl, request: Request): Promise<Response> {
  const body = (await request.json()) as ControlCall
  switch (body.call) {
    case 'log':
      return Response.json(await control.log())
    case 'reset':
      await control.reset()
      return Response.json(null)
    case 'waitFor':
      return Response.json(await control.waitFor(body.match, body.count))
    case 'act':
      await control.act(body.action)
      return Response.json(null)
  }
}

/** The control of a contract server in another process, by its base URL. */
export function connectControl(serverUrl: string): ContractControl {
  async function call<Result>(body: ControlCall): Promise<Result> {
    const response = await fetch(`${serverUrl}/control`, { method: 'POST', body: JSON.stringify(body) })
    if (!response.ok) throw new Error(`the contract's server answered ${response.status} to ${body.call}`)
    return (await response.json()) as Result
  }
  return {
    log: () => call<LogEntry[]>({ call: 'log' }),
    reset: () => call<void>({ call: 'reset' }),
    waitFor: (match, count = 1) => call<LogEntry[]>({ call: 'waitFor', match, count }),
    act: (action) => call<void>({ call: 'act', action }),
  }
}
