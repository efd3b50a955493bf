import { type ContractSubject, type ContractTarget, runCase } from '../contract-case.js'
import { connectControl } from '../record.js'
import { findCase } from '../suite.js'

/** Where the suite can run. */
export interface ContractHost {
  start(): Promise<RunningHost>
}

export interface RunningHost {
  /** Runs the case of that name. @throws What failed. */
  run(name: string, target: ContractTarget & { controlUrl: string }): Promise<void>
  stop(): Promise<void>
}

/** The suite in this very process, for whatever is under test. */
export function runHere(subject: ContractSubject, stop: () => Promise<unknown> = async () => {}): RunningHost {
  const host = subject.createHost()
  return {
    async run(name, target) {
      await runCase(findCase(name), target, subject, host, connectControl(target.controlUrl))
    },
    async stop() {
      await host.close()
      await stop()
    },
  }
}
