import type { FaultScript } from './fault-script.js'
import type { FaultyEndpoint } from './faulty-endpoint.js'
import type { Strikes } from './strikes.js'

/** What a faulty server is told and asked, wherever it runs. */
export interface FaultyControl {
  /** Hands over the scripts of the next calls, by the calls' argument `key`, and begins to count anew. */
  begin(scripts: Record<string, FaultScript>): Promise<void>
  /** Resolves when everything before the fault of a call is out. */
  struck(key: string): Promise<void>
  /** Lets the fault happen; resolves when it has: the connections are closed, the server listens again. */
  release(key: string): Promise<void>
  report(): Promise<FaultyReport>
}

export interface FaultyReport {
  /** Executions of the tool by the calls' argument `key`. */
  executions: Record<string, number>
  /** Exchanges that have begun and not ended; an idle connection is none. */
  open: number
  /** The requests, a line each. */
  log: string[]
}

export function createFaultyControl(endpoint: FaultyEndpoint, strikes: Strikes, open: () => number): FaultyControl {
  return {
    async begin(scripts) {
      strikes.forget()
      endpoint.begin(scripts)
    },
    struck: strikes.struck,
    release: strikes.release,
    report: async () => ({ executions: endpoint.executions(), open: open(), log: endpoint.log() }),
  }
}
