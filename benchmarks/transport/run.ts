// What a call costs, beside the bare exchange. See ../README.md.
import type { Era } from '@x/core'
import { forkFaultyServer, resultText } from '@x/testkit/faulty'
import { median, quantile } from '../statistics.js'
import { type Contestant, type ContestantName, contestantNames, contestants } from './contestants.js'

const rounds = 21
const callsPerRound = 200
const warmCalls = 2_000
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

interface Cost {
  /** Microseconds of a call, from its start to its result. */
  wall: number
  /** Microseconds of processor time that this process spent on it, all threads together. */
  cpu: number
}

/** Rounds in which each takes its turn, so that what the machine does meanwhile meets all of them. */
async function compare(era: Era): Promise<Record<ContestantName, number>> {
  const opened = new Map<ContestantName, Contestant>()
  for (const name of contestantNames) opened.set(name, await contestants[name](`${server.url}/${era}/mcp`, era))
  for (const contestant of opened.values()) await costPerCall(contestant, warmCalls)
  const costs = new Map<ContestantName, Cost[]>(contestantNames.map((name) => [name, []]))
  for (let round = 0; round < rounds; round++) {
    await server.control.begin({})
    for (let turn = 0; turn < contestantNames.length; turn++) {
      const name = contestantNames[(round + turn) % contestantNames.length]!
      costs.get(name)!.push(await costPerCall(opened.get(name)!, callsPerRound))
    }
  }
  for (const contestant of opened.values()) await contestant.close()
  return tell(era, costs)
}

async function costPerCall({ call }: Contestant, calls: number): Promise<Cost> {
  const began = performance.now()
  const used = process.cpuUsage()
  for (let count = 0; count < calls; count++) {
    if ((await call('bench')) !== resultText('bench')) throw new Error('a call gave a wrong result')
  }
  const { user, system } = process.cpuUsage(used)
  return { wall: ((performance.now() - began) * 1000) / calls, cpu: (user + system) / calls }
}

function tell(era: Era, costs: Map<ContestantName, Cost[]>): Record<ContestantName, number> {
  const raw = costs.get('raw fetch')!
  console.log(`\n${era}: ${rounds} rounds of ${callsPerRound} calls each, one after another`)
  console.log(row('', 'µs per call', 'middle half', 'times raw', 'middle half', 'CPU µs', 'times raw'))
  const ratios = contestantNames.map((name) => {
    const own = costs.get(name)!
    const wall = own.map((cost) => cost.wall)
    const cpu = own.map((cost) => cost.cpu)
    // Of one round each, so that a slow moment of the machine is in both.
    const times = own.map((cost, round) => cost.wall / raw[round]!.wall)
    const cpuTimes = own.map((cost, round) => cost.cpu / raw[round]!.cpu)
    const told = [show(wall), half(wall), show(times, 2), half(times, 2), show(cpu), show(cpuTimes, 2)]
    console.log(row(name, ...told))
    return [name, median(times)] as const
  })
  return Object.fromEntries(ratios) as Record<ContestantName, number>
}

function row(name: string, ...cells: string[]): string {
  return name.padEnd(12) + cells.map((cell) => cell.padStart(13)).join('')
}

function show(values: number[], digits = 0): string {
  return median(values).toFixed(digits)
}

function half(values: number[], digits = 0): string {
  return `${quantile(values, 0.25).toFixed(digits)}-${quantile(values, 0.75).toFixed(digits)}`
}
