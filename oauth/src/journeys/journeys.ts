import type { Journey } from './journey.js'
import { machineJourneys } from './machine.js'
import { moreAccessJourneys } from './more-access.js'
import { renewalJourneys } from './renewal.js'
import { signInJourneys } from './sign-in.js'

export const journeys: readonly Journey[] = [
  ...signInJourneys,
  ...renewalJourneys,
  ...moreAccessJourneys,
  ...machineJourneys,
]
