import type { Credentials, Journey } from '../journeys/journey.js'
import type { JourneyReport } from '../journeys/stage.js'
import type { OauthServer } from '../start-server.js'

/** A client in one runtime: core in Node, or web in a page of Chromium with core in its worker. */
export const runtimeNames = ['node', 'chromium'] as const
export type RuntimeName = (typeof runtimeNames)[number]

export interface Runtime {
  /** Where a sign-in comes back to. */
  redirectUrl: string
  /** @throws what the journey throws. */
  run(journey: Journey, server: OauthServer, credentials: Credentials): Promise<JourneyReport>
  close(): Promise<void>
}
