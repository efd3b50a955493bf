import { readFileSync } from 'node:fs'
import { randomFrom } from '@x/testkit/random'
import { expect, test } from 'vitest'
import type { Tool } from '../../src/protocol.js'
import { mutations, reordered, shuffle } from './mutations.js'
import { createPinStore, reloaded } from './pin-store.js'

/** What real servers list: memory-server 0.6.3, secure-filesystem-server 0.2.0, kubernetes-mcp-server 0.0.67. */
const lists = ['memory', 'filesystem', 'kubernetes'].map((name): Tool[] =>
  JSON.parse(readFileSync(new URL(`fixtures/${name}.tools.json`, import.meta.url), 'utf8')),
)
const count = 200

/** Each mutation of each tool that does anything, in an order that mixes both. */
const mutants = shuffle(
  lists.flatMap((list) =>
    list.flatMap((tool, at) =>
      Object.entries(mutations).flatMap(([what, mutate]) => {
        const mutant = structuredClone(tool)
        mutate(mutant)
        return JSON.stringify(mutant) === JSON.stringify(tool) ? [] : [{ what, list, at, mutant }]
      }),
    ),
  ),
  randomFrom(1),
).slice(0, count)

async function pinned(list: Tool[]) {
  const made = createPinStore()
  await reloaded(made.store, list)
  return made.store
}
const stores = new Map(await Promise.all(lists.map(async (list) => [list, await pinned(list)] as const)))

test(`of ${count} changed definitions each is held back, and it alone`, async () => {
  const missed: string[] = []
  for (const { what, list, at, mutant } of mutants) {
    const { toolset, state } = await reloaded(stores.get(list)!, list.with(at, mutant))
    const held = state().held.map(({ kind, name, changes }) => `${kind} ${name} ${changes.length > 0}`)
    const isRight = held.join() === `changed ${mutant.name} true` && toolset.tools.length === list.length - 1
    if (!isRight) missed.push(`${mutant.name}, ${what}: ${held.join() || 'nothing held'}`)
  }
  expect(missed).toEqual([])
  expect(mutants).toHaveLength(count)
  expect(new Set(mutants.map(({ what }) => what)).size).toBe(Object.keys(mutations).length)
})

test(`of ${count} lists in another order nothing is held back`, async () => {
  const random = randomFrom(2)
  const wrong: string[] = []
  let moved = 0
  for (let round = 0; round < count; round++) {
    const list = lists[round % lists.length]!
    const tools = shuffle(list, random).map((tool) => reordered(tool, random))
    if (JSON.stringify(tools) !== JSON.stringify(list)) moved++
    const { state } = await reloaded(stores.get(list)!, tools)
    wrong.push(...state().held.map(({ kind, name, changes }) => `${kind} ${name} ${JSON.stringify(changes)}`))
  }
  expect(wrong).toEqual([])
  expect(moved).toBe(count)
})
