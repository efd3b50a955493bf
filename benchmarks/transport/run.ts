// What a call costs, beside the bare exchange. See ../README.md.
import type { Era } from '@x/core'
import { forkFaultyServer, resultText } from '@x/testkit/faulty'
import { type Contestant, type ContestantName, contestantNames, contestants } from './contestants.js'
import { median, quantile } from './statistics.js'

const rounds = 21
const callsPerRound = 200
const warmCalls = 600
/** Times the cost of a raw fetch that a call may take. */
const aims: Partial<Record<ContestantName, number>> = { 'in process': 1.6, worker: 2 }

const server = await forkFaultyServer()
const ratios: Record<Era, Record<ContestantName, number>> = {
  modern: await compare('modern'),
  legacy: await compare('legacy'),
}
await server.close()

for (const name of contestantNames.slice(1)) {
  const both = (['modern', 'legacy'] as const).map((era) => `${ratios[era][name].toFixed(2)}x ${era}`).join(', ')
  const aim = aims[name]
  const worst = Math.max(ratios.modern[name], ratios.legacy[name])
  const met = aim === undefined ? '' : `: aim ${aim}x of raw fetch ${worst <= aim ? 'met' : 'NOT met'}`
  console.log(`${name} ${both}${met}`)
}

/** Rounds in which each takes its turn, so that what the machine does meanwhile meets all of them. */
async function compare(era: Era): Promise<Record<ContestantName, number>> {
  const opened = new Map<ContestantName, Contestant>()
  for (const name of contestantNames) opened.set(name, await contestants[name](`${server.url}/${era}/mcp`, era))
  for (const contestant of opened.values()) await microsecondsPerCall(contestant, warmCalls)
  const costs = new Map<ContestantName, number[]>(contestantNames.map((name) => [name, []]))
  for (let round = 0; round < rounds; round++) {
    await server.control.begin({})
    for (let turn = 0; turn < contestantNames.length; turn++) {
      const name = contestantNames[(round + turn) % contestantNames.length]!
      costs.get(name)!.push(await microsecondsPerCall(opened.get(name)!, callsPerRound))
    }
  }
  for (const contestant of opened.values()) await contestant.close()
  return tell(era, costs)
}

async function microsecondsPerCall({ call }: Contestant, calls: number): Promise<number> {
  const began = performance.now()
  for (let count = 0; count < calls; count++) {
    if ((await call('bench')) !== resultText('bench')) throw new Error('a call gave a wrong result')
  }
  return ((performance.now() - began) * 1000) / calls
}

function tell(era: Era, costs: Map<ContestantName, number[]>): Record<ContestantName, number> {
  const raw = costs.get('raw fetch')!
  console.log(`\n${era}: ${rounds} rounds of ${callsPerRound} calls each, one after another`)
  console.log(
    `${'µs per call'.padStart(26)}${'middle half'.padStart(16)}${'times raw'.padStart(13)}${'middle half'.padStart(16)}`,
  )
  const rows = contestantNames.map((name) => {
    const own = costs.get(name)!
    // Of one round each, so that a slow moment of the machine is in both.
    const times = own.map((cost, round) => cost / raw[round]!)
    const cells = [median(own).toFixed(0).padStart(12), range(own, 0).padStart(16)]
    console.log(
      `${name.padEnd(14)}${cells.join('')}${median(times).toFixed(2).padStart(13)}${range(times, 2).padStart(16)}`,
    )
    return [name, median(times)] as const
  })
  return Object.fromEntries(rows) as Record<ContestantName, number>
}

function range(values: number[], digits: number): string {
  return `${quantile(values, 0.25).toFixed(digits)}-${quantile(values, 0.75).toFixed(digits)}`
}
