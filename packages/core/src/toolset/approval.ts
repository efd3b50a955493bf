import type { KeyValueStore } from '../config.js'
import type { Json, JsonObject } from '../protocol.js'
import { fingerprintOf } from './fingerprint.js'
import type { ToolHandle } from './tools.js'

/** A call that waits to be approved. To change it changes nothing: answer with `{ args }` for that. */
export interface PendingCall extends Pick<ToolHandle, 'server' | 'name' | 'title' | 'tool' | 'hints'> {
  /** What will be sent, exactly. */
  args: JsonObject
  /** The same for as long as nothing of the tool's definition changes: 64 hexadecimal digits. */
  fingerprint: string
  /** Fires when the call is aborted, or its server leaves: nobody waits for an answer any more. */
  signal: AbortSignal
}

/**
 * `always`: the tool's calls aren't asked for again, with whatever arguments, while its fingerprint is the same; with a pin
 * store also after a reload. `deny`: the reason, which the model is told. `args`: what is sent instead.
 */
export type ApprovalAnswer = 'allow' | 'always' | { deny: string } | { args: JsonObject }

export interface Approval {
  /**
   * @param signal - Whoever calls waits no longer than that; here it ends what has not begun.
   * @returns The arguments to send, those that were shown or those of the answer; or why there must be no call.
   */
  ask(handle: ToolHandle, args: JsonObject | undefined, signal: AbortSignal): Promise<Answered>
  /** A dialog may be open for long: whether the tool is still as it was shown. */
  isSame(shown: ToolHandle, now: ToolHandle): Promise<boolean>
}

export type Answered = { args: JsonObject } | { denied: string; cause?: unknown }

type Approve = (call: PendingCall) => Promise<ApprovalAnswer>

/**
 * @param report - Told of what went wrong without harm.
 * @param store - Keeps for which tools the answer was `always`. Default: for as long as this lives.
 */
export function createApproval(
  approve: Approve,
  report: (error: unknown) => void,
  store: KeyValueStore = storeInMemory(),
): Approval {
  async function isRemembered(server: string, tool: string, fingerprint: string): Promise<boolean> {
    try {
      return (await read(store, server)).get(tool) === fingerprint
    } catch (error) {
      // Whoever can't remember asks.
      report(error)
      return false
    }
  }

  async function remember(server: string, tool: string, fingerprint: string): Promise<void> {
    try {
      const approved = await read(store, server)
      approved.set(tool, fingerprint)
      await store.set(keyOf(server), { version: 1, tools: [...approved] })
    } catch (error) {
      // This call is approved all the same; the next one is asked for again.
      report(error)
    }
  }

  return {
    async ask({ server, name, title, tool, hints }, args = {}, signal) {
      try {
        // One text for what is shown and for what is sent: whoever holds one of them can't change the other.
        const sent = JSON.stringify(args)
        const fingerprint = await fingerprintOf(server, tool)
        if (await isRemembered(server, tool.name, fingerprint)) return { args: JSON.parse(sent) }
        const shown = { server, name, title, tool: structuredClone(tool), hints: { ...hints }, args: JSON.parse(sent) }
        signal.throwIfAborted()
        const answer: unknown = await approve({ ...shown, fingerprint, signal })
        if (answer === 'always') await remember(server, tool.name, fingerprint)
        if (answer === 'allow' || answer === 'always') return { args: JSON.parse(sent) }
        const { deny, args: changed } = (answer ?? {}) as { deny?: unknown; args?: unknown }
        if (typeof deny === 'string') return { denied: deny }
        if (deny === undefined && typeof changed === 'object' && changed !== null && !Array.isArray(changed))
          return { args: JSON.parse(JSON.stringify(changed)) }
        throw new TypeError('"approve" must give "allow", "always", { deny: string } or { args: object }')
      } catch (cause) {
        return { denied: 'it could not be approved', cause }
      }
    },
    async isSame(shown, now) {
      if (now === shown) return true
      const [before, after] = await Promise.all([shown, now].map(({ server, tool }) => fingerprintOf(server, tool)))
      return before === after
    },
  }
}

const keyOf = (server: string) => `tool-approvals:${server}`

/** The fingerprints that are approved, by tool: one of each. */
async function read(store: KeyValueStore, server: string): Promise<Map<string, string>> {
  const kept = (await store.get(keyOf(server))) as { tools?: unknown } | undefined | null
  const tools: unknown[] = Array.isArray(kept?.tools) ? kept.tools : []
  return new Map(tools.filter((entry): entry is [string, string] => Array.isArray(entry) && entry.length === 2))
}

function storeInMemory(): KeyValueStore {
  const kept = new Map<string, Json>()
  return {
    get: async (key) => kept.get(key),
    set: async (key, value) => void kept.set(key, value),
    delete: async (key) => void kept.delete(key),
  }
}
