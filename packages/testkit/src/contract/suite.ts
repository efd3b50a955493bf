import { authorizing } from './cases/authorizing.js'
import { calling } from './cases/calling.js'
import { closing } from './cases/closing.js'
import { connecting } from './cases/connecting.js'
import { dialogues } from './cases/dialogues.js'
import { limits } from './cases/limits.js'
import { listing } from './cases/listing.js'
import { notifications } from './cases/notifications.js'
import { pinging } from './cases/pinging.js'
import { recovering } from './cases/recovering.js'
import { skills } from './cases/skills.js'
import { subscribing } from './cases/subscribing.js'
import { tasks } from './cases/tasks.js'
import { theRest } from './cases/the-rest.js'
import { toolSets } from './cases/tool-sets.js'
import type { ContractCase } from './contract-case.js'

const promises = {
  ...connecting,
  ...listing,
  ...calling,
  ...limits,
  ...closing,
  ...authorizing,
  ...toolSets,
  ...recovering,
  ...notifications,
  ...subscribing,
  ...dialogues,
  ...tasks,
  ...skills,
  ...theRest,
  ...pinging,
}

export type CaseName = keyof typeof promises

/** The cases, in order; each has a server of its own. */
export const contractCases: readonly ContractCase[] = Object.entries(promises).map(([name, run]) => ({ name, run }))

export function findCase(name: string): ContractCase {
  const found = contractCases.find((contractCase) => contractCase.name === name)
  if (!found) throw new Error(`the suite has no case "${name}"`)
  return found
}
