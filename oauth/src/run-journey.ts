import { searchJourney } from './canaries/search-journey.js'
import { createCredentials } from './credentials.js'
import type { Journey } from './journeys/journey.js'
import type { Check, JourneyReport } from './journeys/stage.js'
import type { Runtime } from './runtimes/runtime.js'
import { startOauthServer } from './start-server.js'

export interface JourneyOutcome extends Pick<JourneyReport, 'parallel'> {
  checks: Check[]
}

/** Milliseconds for one journey: a window that nobody comes back from would be waited for without an end. */
const limitMs = 60_000

/** Runs a journey against servers of its own, and searches what it left for secrets. */
export async function runJourney(journey: Journey, runtime: Runtime): Promise<JourneyOutcome> {
  const { redirectUrl } = runtime
  const { clients, ...credentials } = createCredentials(redirectUrl)
  const server = await startOauthServer({ ...journey.server, clients })
  try {
    const report = await limited(runtime.run(journey, server, credentials))
    const { issuer } = server
    const search = searchJourney(report, await server.read(), { issuer, redirectUrl, credentials })
    return { ...report, checks: [...report.checks, ...search] }
  } catch (error) {
    return { checks: [{ what: String(error), held: false }] }
  } finally {
    await server.close()
  }
}

async function limited<Value>(running: Promise<Value>): Promise<Value> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`not done after ${limitMs} ms`)), limitMs)
  })
  return Promise.race([running, late]).finally(() => clearTimeout(timer))
}
