import type { KeyValueStore, TokenStore } from '../config.js'
import type { Json, Tool } from '../protocol.js'
import { changesBetween, type DefinitionChange } from './definition-changes.js'
import { canonicalDefinition, definitionOf, fingerprintOf, type ToolDefinition } from './fingerprint.js'

/**
 * Where is kept what a set has seen of its servers' tools, by the servers' names: each tool's definition, and which calls
 * are always approved. It has to outlive the page to be of use, and nobody else may write to it.
 *
 * @remarks With `exclusively`, as a {@link TokenStore} has it, tabs that accept something at once lose nothing; without,
 *   one of two may be lost: that tool is then held, or that call asked for, again.
 */
export type PinStore = KeyValueStore & Partial<Pick<TokenStore, 'exclusively'>>

/** A tool that is held back until the app accepts it as it is now: nobody can call it through the set. */
export interface HeldTool {
  /** `renamed`: a tool of another name that is gone was the same. */
  kind: 'changed' | 'renamed' | 'new'
  /** Its name on the server, now. */
  name: string
  /** As the server sends it now. */
  tool: Tool
  /** What was accepted before; absent of a new one. */
  before?: ToolDefinition
  /** Where they differ; none of a new one. At most 100. */
  readonly changes: DefinitionChange[]
  /**
   * Offers the tool as it is here, now and from now on. Where its server has changed it again meanwhile, it stays held.
   *
   * @throws {ConfigError} `ERR_MCP_CONFIG` when the pin store fails.
   */
  accept(): Promise<void>
}

/** What of a server's tools is as it was accepted. */
export interface Pins {
  /**
   * At the first sight of a server all of its tools are accepted as they are.
   *
   * @param offered - All that the server offers.
   * @param wanted - What of it would be offered to a model.
   * @returns What must not be.
   * @throws What the store throws; {@link TypeError} when it holds what is not ours.
   */
  check(server: string, offered: readonly Tool[], wanted: readonly Tool[]): Promise<Refused>
  accept(server: string, held: Held): Promise<void>
}

export type Held = Omit<HeldTool, 'accept'>

export interface Refused {
  held: Held[]
  /** Why not, by the tool's name; also of what is held. */
  reasons: Map<string, string>
}

interface Pin {
  fingerprint: string
  definition: ToolDefinition
}

export const pinsKey = (server: string) => `tool-pins:${server}`

export function createPins(store: PinStore): Pins {
  const exclusively = <Value>(server: string, run: () => Promise<Value>): Promise<Value> =>
    store.exclusively ? store.exclusively(pinsKey(server), run) : run()

  async function read(server: string): Promise<Map<string, Pin> | undefined> {
    const kept = await store.get(pinsKey(server))
    if (kept === undefined || kept === null) return undefined
    const { tools } = kept as { tools?: unknown }
    if (!Array.isArray(tools) || !tools.every(isPin))
      throw new TypeError(`it holds something else than pins under "${pinsKey(server)}"`)
    return new Map(tools.map((pin) => [pin.definition.name, pin]))
  }

  async function write(server: string, pins: Iterable<Pin>): Promise<void> {
    // Without what `undefined` stands in, which not every store takes.
    const tools: Json = JSON.parse(JSON.stringify([...pins]))
    await store.set(pinsKey(server), { version: 1, tools })
  }

  async function check(server: string, offered: readonly Tool[], wanted: readonly Tool[]): Promise<Refused> {
    const pinned = await read(server)
    const reasons = new Map<string, string>()
    const named = new Map((pinned ? wanted : firstOfEach(offered)).map((tool) => [tool.name, tool]))
    const found = await pinAll(server, [...named.values()], reasons)
    if (!pinned) {
      // A server that offers nothing yet has shown nothing that could be trusted.
      if (found.length > 0) await write(server, found)
      return { held: [], reasons }
    }
    const names = new Set(offered.map(({ name }) => name))
    const gone = once(
      () =>
        new Map(
          [...pinned.values()].flatMap(({ definition }) =>
            names.has(definition.name) ? [] : [[canonicalDefinition(definition, 'name'), definition]],
          ),
        ),
    )
    const held = found.flatMap(({ fingerprint, definition: { name } }): Held[] => {
      const pin = pinned.get(name)
      if (pin?.fingerprint === fingerprint) return []
      const tool = named.get(name)!
      const before = pin ? pin.definition : gone().get(canonicalDefinition(tool, 'name'))
      const kind = pin ? 'changed' : before ? 'renamed' : 'new'
      reasons.set(
        name,
        kind === 'renamed'
          ? `not accepted: it was called "${before!.name}" before`
          : kind === 'new'
            ? 'not accepted: it is new'
            : 'not accepted: it was changed',
      )
      return [heldTool(kind, tool, before)]
    })
    return { held, reasons }
  }

  return {
    check: (server, offered, wanted) => exclusively(server, () => check(server, offered, wanted)),
    accept: (server, { tool, kind, before }) =>
      exclusively(server, async () => {
        const pinned = await read(server)
        // Forgotten meanwhile: the next list is a first sight.
        if (!pinned) return
        if (kind === 'renamed') pinned.delete(before!.name)
        pinned.set(tool.name, await pinOf(server, tool))
        await write(server, pinned.values())
      }),
  }
}

function heldTool(kind: Held['kind'], tool: Tool, before?: ToolDefinition): Held {
  const changes = once(() => (before ? changesBetween(before, tool) : []))
  return {
    kind,
    name: tool.name,
    tool,
    ...(before && { before }),
    // When somebody looks: a hostile server may change much, and often.
    get changes() {
      return changes()
    },
  }
}

const pinOf = async (server: string, tool: Tool): Promise<Pin> => ({
  fingerprint: await fingerprintOf(server, tool),
  definition: definitionOf(tool),
})

async function pinAll(server: string, tools: Tool[], reasons: Map<string, string>): Promise<Pin[]> {
  const pins = await Promise.all(
    tools.map((tool) =>
      pinOf(server, tool).catch((error) => {
        // What can't be compared can't be accepted.
        if (!(error instanceof RangeError)) throw error
        reasons.set(tool.name, 'it is nested too deeply to be compared with what was accepted')
        return undefined
      }),
    ),
  )
  return pins.filter((pin) => pin !== undefined)
}

/** Of a name that comes twice the first is offered. */
function firstOfEach(tools: readonly Tool[]): Tool[] {
  const first = new Map<string, Tool>()
  for (const tool of tools) if (!first.has(tool.name)) first.set(tool.name, tool)
  return [...first.values()]
}

function isPin(value: unknown): value is Pin {
  const { fingerprint, definition } = (value ?? {}) as Partial<Pin>
  return typeof fingerprint === 'string' && typeof definition?.name === 'string'
}

function once<Value>(make: () => Value): () => Value {
  let made: { value: Value } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}
