import { expect, test } from 'vitest'
import type { Journey } from '../src/journeys/journey.js'
import { journeys } from '../src/journeys/journeys.js'
import { runJourney } from '../src/run-journey.js'
import { createNodeRuntime } from '../src/runtimes/node.js'

const runtime = createNodeRuntime()
const failedChecks = async (journey: Journey) => {
  const { checks } = await runJourney(journey, runtime)
  return checks.filter(({ held }) => !held).map(({ what }) => what)
}

// Every sort of secret: of people, of an app, of a machine, and a key.
test.each([
  'sign-in, 2026-07-28',
  'a client that was registered before',
  'denial',
  'a grant that has ended',
  'sign-out',
  'client credentials, private_key_jwt',
])('%s: no secret is where it does not belong', { timeout: 30_000 }, async (name) => {
  expect(await failedChecks(journeys.find((journey) => journey.name === name)!)).toEqual([])
})

test('an app that writes its callback to the console is found out', { timeout: 30_000 }, async () => {
  const careless: Journey = {
    name: 'careless',
    async run(stage) {
      const client = await stage.connect()
      stage.record('console', stage.report.surfaces['callback URLs'])
      await client.close()
    },
  }
  expect(await failedChecks(careless)).toEqual([
    'no secret is where it does not belong: state in console, code in console',
  ])
})
