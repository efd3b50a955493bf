import { onAbort, untilAborted } from '../abort.js'
import type { KeyValueStore } from '../config.js'
import { ConfigError, DeniedError, reportError } from '../errors.js'
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
   * @returns The arguments to send: those that were shown, or those of the answer.
   * @throws {DeniedError} `ERR_MCP_DENIED` when the answer is no, or none.
   * @throws The signals' reasons when they fire.
   */
  ask(handle: ToolHandle, args: JsonObject | undefined, signals: (AbortSignal | undefined)[]): Promise<JsonObject>
}

type Approve = (call: PendingCall) => Promise<ApprovalAnswer>

/** @param store - Keeps for which tools the answer was `always`. Default: for as long as this lives. */
export function createApproval(approve: Approve, store: KeyValueStore = storeInMemory()): Approval {
  return {
    async ask(handle, args = {}, signals) {
      const { server, name, title, hints } = handle
      const denied = (why: string, cause?: unknown) =>
        new DeniedError(`The call of "${handle.tool.name}" on the server "${server}" was denied${why && `: ${why}`}`, {
          cause,
          data: { server, tool: handle.tool.name, method: 'tools/call', outcome: 'not-run' },
        })
      const ending = new AbortController()
      const stops = signals.map((signal) => onAbort(signal, () => ending.abort(signal?.reason)))
      const { signal } = ending
      try {
        signal.throwIfAborted()
        // One text for what is shown and for what is sent: whoever holds one of them can't change the other.
        const sent = textOf(args, server, handle.tool.name)
        const asked = async () => {
          const fingerprint = await fingerprintOf(server, handle.tool)
          if (await isRemembered(store, server, handle.tool.name, fingerprint)) return 'allow'
          // Copied first: nothing is awaited between a look at the signal and the question.
          const tool = structuredClone(handle.tool)
          signal.throwIfAborted()
          const call = { server, name, title, tool, hints: { ...hints }, args: JSON.parse(sent), fingerprint, signal }
          const answer: unknown = await approve(call)
          if (answer === 'always') await remember(store, server, handle.tool.name, fingerprint)
          return answer
        }
        const answer = await untilAborted(signal, asked()).catch((cause) => {
          throw signal.aborted ? signal.reason : denied('it could not be approved', cause)
        })
        if (answer === 'allow' || answer === 'always') return JSON.parse(sent)
        if (typeof answer === 'object' && answer !== null) {
          const { deny, args: changed } = answer as { deny?: unknown; args?: unknown }
          if (typeof deny === 'string') throw denied(deny)
          if (deny === undefined && typeof changed === 'object' && changed !== null && !Array.isArray(changed))
            return JSON.parse(textOf(changed, server, handle.tool.name))
        }
        const nonsense = new TypeError('"approve" must give "allow", "always", { deny: string } or { args: object }')
        throw denied('it was not approved', nonsense)
      } finally {
        for (const stop of stops) stop()
      }
    },
  }
}

function textOf(args: object, server: string, tool: string): string {
  try {
    return JSON.stringify(args)
  } catch (cause) {
    throw new ConfigError(`The arguments of "${tool}" are no JSON`, {
      cause,
      data: { server, tool, method: 'tools/call', key: 'arguments', outcome: 'not-run' },
    })
  }
}

const keyOf = (server: string) => `tool-approvals:${server}`

/** The fingerprints that are approved, by tool: one of each. */
async function read(store: KeyValueStore, server: string): Promise<Map<string, string>> {
  const kept = (await store.get(keyOf(server))) as { tools?: unknown } | undefined | null
  const tools: unknown[] = Array.isArray(kept?.tools) ? kept.tools : []
  return new Map(tools.filter((entry): entry is [string, string] => Array.isArray(entry) && entry.length === 2))
}

async function isRemembered(store: KeyValueStore, server: string, tool: string, fingerprint: string): Promise<boolean> {
  try {
    return (await read(store, server)).get(tool) === fingerprint
  } catch (error) {
    // Whoever can't remember asks.
    reportError(error)
    return false
  }
}

async function remember(store: KeyValueStore, server: string, tool: string, fingerprint: string): Promise<void> {
  try {
    const approved = await read(store, server)
    approved.set(tool, fingerprint)
    await store.set(keyOf(server), { version: 1, tools: [...approved] })
  } catch (error) {
    // This call is approved all the same; the next one is asked for again.
    reportError(error)
  }
}

function storeInMemory(): KeyValueStore {
  const kept = new Map<string, Json>()
  return {
    get: async (key) => kept.get(key),
    set: async (key, value) => void kept.set(key, value),
    delete: async (key) => void kept.delete(key),
  }
}
