// Every fault at every byte of a call's response, and what the caller gets. See ../README.md.
import { parseArgs } from 'node:util'
import { coreSubject } from './core-subject.js'
import { allRuns, type Run, runName } from './matrix.js'
import { perform } from './perform.js'
import { openPlace, type PlaceName, placeNames } from './place.js'
import { sdkSubject } from './sdk-subject.js'
import type { Subject } from './subject.js'
import { createTally } from './tally.js'

/** Server processes; each makes one run at a time. */
const servers = 3
/** Of a sample, every how many'th offset. */
const sampleEvery = 13

const { values: wanted } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    only: { type: 'string', default: '' },
    subject: { type: 'string', default: 'core' },
  },
})
const subjects: Record<string, Subject> = { core: coreSubject, sdk: sdkSubject }
const subject = subjects[wanted.subject]
if (!subject) throw new Error(`--subject is one of ${Object.keys(subjects).join(', ')}`)
const exactly = wanted.only.includes('@')
const runs = allRuns(wanted.quick ? sampleEvery : 1).filter((run) =>
  exactly ? runName(run) === wanted.only : runName(run).startsWith(wanted.only),
)
const tally = createTally(console.log, exactly)

const rejections: unknown[] = []
process.on('unhandledRejection', (error) => rejections.push(error))

for (const name of placeNames) {
  const queue = runs.filter(({ place }) => place === name)
  if (queue.length === 0) continue
  const began = performance.now()
  const count = queue.length
  const lanes = Array.from({ length: name === 'sockets' ? servers : 1 }, () => work(subject, name, queue))
  await Promise.all(lanes)
  console.log(`${name}: ${count} runs in ${((performance.now() - began) / 1000).toFixed(1)} s`)
}
for (const line of tally.summary()) console.log(line)
if (tally.hopeless()) console.log('Too many runs hung: the others were not made.')
console.log(tally.lastLine())
process.exitCode = tally.good() ? 0 : 1

async function work(subject: Subject, name: PlaceName, queue: Run[]): Promise<void> {
  const place = await openPlace(name)
  try {
    for (let run = queue.shift(); run && !tally.hopeless(); run = queue.shift()) {
      try {
        const result = await perform(run, place, subject)
        await new Promise(setImmediate)
        tally.add(result, rejections.splice(0))
      } catch (error) {
        tally.addFailure(runName(run), error)
      }
    }
  } finally {
    await place.close()
  }
}
