import './cut-network.js'
import { createHost } from '@x/web'
import type { Answers } from '../form-browser.js'
import type { Credentials } from '../journeys/journey.js'
import { journeys } from '../journeys/journeys.js'
import { createStage } from '../journeys/stage.js'
import type { Control, ControlChange } from '../server/control.js'
import { browse } from './browse.js'
import { readStorage } from './read-storage.js'

export interface Job {
  journey: string
  issuer: string
  resource: string
  credentials: Credentials
}

/** What the runner offers to the page: the page's own network is cut. */
export interface Runner {
  readServer(): Promise<Control>
  changeServer(change: ControlChange): Promise<void>
  answer(answers: Answers): Promise<void>
}

/** What the page offers to the runner. */
export interface PageScope extends Runner {
  /** The journey's report, as JSON. */
  runJourney(job: Job): Promise<string>
}

const scope = globalThis as unknown as PageScope

scope.runJourney = async ({ journey, issuer, resource, credentials }) => {
  const { readServer, changeServer, answer } = scope
  const wanted = journeys.find(({ name }) => name === journey)
  if (!wanted) throw new Error(`no journey is called ${journey}`)
  const host = createHost({
    worker() {
      const worker = new Worker(new URL('/mcp-worker.js', location.href), { type: 'module' })
      worker.addEventListener('message', ({ data }) => stage.record('messages to the page', data))
      return worker
    },
  })
  const stage = createStage({
    host,
    redirectUrl: new URL('/callback', location.href).href,
    browse,
    answer,
    server: { issuer, resource, read: readServer, change: changeServer },
  })
  try {
    await wanted.run(stage, credentials)
  } finally {
    await host.close()
  }
  stage.record('storage', await readStorage())
  return JSON.stringify(stage.report)
}
