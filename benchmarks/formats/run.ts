// What the tools of a large list cost in each provider's shape, beside what parsing the same list costs.
import { readdirSync, readFileSync } from 'node:fs'
import { performance } from 'node:perf_hooks'
import type { JsonObject, Tool, ToolHandle } from '@x/core'
import * as aiSdk from '@x/core/ai-sdk'
import * as anthropic from '@x/core/anthropic'
import * as google from '@x/core/google'
import * as openai from '@x/core/openai'
import { median, quantile } from '../statistics.js'

const size = 1_000
const warmUps = 20
const rounds = 60

const formats: Record<string, (tools: readonly ToolHandle[]) => Promise<unknown>> = {
  'ai-sdk': (tools) => aiSdk.toTools(tools),
  'openai chat': (tools) => openai.toTools(tools),
  'openai responses, strict': (tools) => openai.toTools(tools, { api: 'responses', strict: true }),
  anthropic: (tools) => anthropic.toTools(tools),
  google: (tools) => google.toTools(tools),
}

async function bench(): Promise<void> {
  const text = JSON.stringify(realTools())
  const times: Record<string, { first: number[]; again: number[] }> = Object.fromEntries(
    Object.keys(formats).map((name) => [name, { first: [], again: [] }]),
  )
  const parsing: number[] = []
  for (let round = -warmUps; round < rounds; round++) {
    const [parseMs, tools] = await timed(async () => JSON.parse(text) as Tool[])
    if (round >= 0) parsing.push(parseMs)
    for (const [name, toTools] of Object.entries(formats)) {
      // A list of its own: what a format has worked out of a tool it keeps for as long as there is the tool.
      const handles = structuredClone(tools).map(toHandle)
      const [first] = await timed(() => toTools(handles))
      const [again] = await timed(() => toTools(handles))
      if (round < 0) continue
      times[name]!.first.push(first)
      times[name]!.again.push(again)
    }
  }
  const parseMs = median(parsing)
  console.log(
    `${size} tools, ${(text.length / 1_000).toFixed(0)} kB of JSON; ${rounds} rounds after ${warmUps} for warm-up\n`,
  )
  console.log(
    `${'median ms (middle half)'.padEnd(28)}${'a new list'.padEnd(26)}${'of JSON.parse'.padEnd(16)}the same again`,
  )
  console.log(row('JSON.parse', parsing, parseMs, parsing))
  for (const [name, { first, again }] of Object.entries(times)) console.log(row(name, first, parseMs, again))
  const ratios = Object.entries(times).map(([name, { first }]) => `${name} ${(median(first) / parseMs).toFixed(2)}x`)
  console.log(`\nformats: JSON.parse ${parseMs.toFixed(1)} ms; ${ratios.join(', ')}`)
}

function row(name: string, first: number[], parseMs: number, again: number[]): string {
  const spread = `${ms(median(first))} (${ms(quantile(first, 0.25))}-${ms(quantile(first, 0.75))})`
  return `${name.padEnd(28)}${spread.padEnd(26)}${`${(median(first) / parseMs).toFixed(2)}x`.padEnd(16)}${ms(median(again))}`
}

const ms = (value: number) => value.toFixed(2)

async function timed<Value>(run: () => Promise<Value>): Promise<[number, Value]> {
  const began = performance.now()
  const value = await run()
  return [performance.now() - began, value]
}

/** The tools of real servers, over and over under names of their own. */
function realTools(): Tool[] {
  const folder = new URL('../../corpus/data/', import.meta.url)
  const lists = readdirSync(folder).filter((file) => file.endsWith('.tools.json'))
  const real = lists.flatMap((file) => toolsIn(JSON.parse(readFileSync(new URL(file, folder), 'utf8')) as Json))
  return Array.from({ length: size }, (_, index) => {
    const tool = real[index % real.length]!
    return { ...tool, name: `${tool.name.slice(0, 40)}_${index}` }
  })
}

type Json = Tool[] | { tools: Tool[] }

const toolsIn = (list: Json): Tool[] => (Array.isArray(list) ? list : list.tools)

function toHandle(tool: Tool): ToolHandle {
  return {
    name: tool.name,
    server: 'bench',
    title: tool.title ?? tool.name,
    description: tool.description ?? '',
    tool,
    findings: [],
    hints: { readOnly: false, parallel: false, retry: false, destructive: true, openWorld: true },
    execute: (args: JsonObject = {}) => Promise.resolve({ content: [], structuredContent: args, findings: [] }),
  }
}

await bench()
