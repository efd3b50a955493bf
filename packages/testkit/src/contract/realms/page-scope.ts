import type { ContractTarget } from '../contract-case.js'
import type { ContractControl } from '../log.js'

/** What the test runner and the page have of each other, as globals of the page. */
export interface PageScope {
  /** Given by the runner: the page itself has no network. */
  contractControl(call: keyof ContractControl, args: unknown[]): Promise<unknown>
  /** Runs the case of that name; gives what failed, if something did. */
  runContractCase(name: string, target: ContractTarget): Promise<string | undefined>
}
