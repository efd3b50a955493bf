import type { CompletionReference } from '@x/web'
import type { StoreCore } from './playground-store.js'

export interface CompletionActions {
  /**
   * What a server suggests for an argument of a prompt or of a resource template.
   *
   * @param others - The other arguments so far.
   * @returns None where the server has no completions, or fails to give them: nobody asked for them.
   */
  complete(
    reference: CompletionReference,
    argument: { name: string; value: string },
    others: Record<string, string>,
  ): Promise<readonly string[]>
}

export function createCompletionActions(core: StoreCore): CompletionActions {
  return {
    complete: async (reference, argument, others) => {
      const { client } = core
      if (!client?.state.server?.capabilities.completions) return []
      try {
        return (await client.complete(reference, argument, { arguments: others })).values
      } catch {
        return []
      }
    },
  }
}
