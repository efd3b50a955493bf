import type { Era } from '@x/core'
import type { ContractTarget, PathName } from '../contract-case.js'
import type { ContractServer } from '../server.js'

/** A way from a client to the contract's server. */
export interface ContractPath {
  name: PathName
  start(): Promise<RunningPath>
}

export interface RunningPath {
  /** @param serverEra - Which of the server's endpoints is at the other end. */
  target(server: ContractServer, era: Era, serverEra: Era): ContractTarget
  /** @throws What went wrong on the way without being answered. */
  verify(): void
  stop(): Promise<void>
}
