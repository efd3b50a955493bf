import type { JsonObject, McpClient, Progress, RequestOptions } from '@x/web'
import { toErrorData } from './caught.js'
import type { StoreCore } from './playground-store.js'
import { keptProgress, keptRuns, type Run, type RunStatus } from './state.js'

export interface RunActions {
  /** Calls a tool; resolves when the run has ended, however it ended. */
  callTool(name: string, args: JsonObject): Promise<void>
  readResource(uri: string): Promise<void>
  getPrompt(name: string, args: Record<string, string>): Promise<void>
  cancel(runId: number): void
  cancelAll(): void
}

type Result = NonNullable<Run['result']>

export function createRunActions(core: StoreCore): RunActions {
  const { get, set, ports } = core
  const controllers = new Map<number, AbortController>()
  let lastId = 0

  function change(id: number, patch: (run: Run) => Partial<Run>): void {
    set({ runs: get().runs.map((run) => (run.id === id ? ({ ...run, ...patch(run) } as Run) : run)) })
  }

  function begin(subject: string) {
    lastId += 1
    return { id: lastId, subject, status: 'running', startedAt: ports.now(), progress: [], progressCount: 0 } as const
  }

  async function start(run: Run, send: (client: McpClient, options: RequestOptions) => Promise<Result>): Promise<void> {
    const { client } = core
    if (!client) return
    const { id, startedAt } = run
    const controller = new AbortController()
    controllers.set(id, controller)
    set({ runs: [run, ...get().runs].slice(0, keptRuns) })
    const end = (status: RunStatus, outcome: Partial<Run>) =>
      change(id, () => ({ ...outcome, status, tookMs: ports.now() - startedAt }) as Partial<Run>)
    try {
      const result = await send(client, {
        signal: controller.signal,
        onProgress: (progress: Progress) =>
          change(id, (before) => ({
            progress: [...before.progress, progress].slice(-keptProgress),
            progressCount: before.progressCount + 1,
          })),
      })
      end('isError' in result && result.isError ? 'tool-error' : 'done', { result } as Partial<Run>)
    } catch (error) {
      end(controller.signal.aborted ? 'cancelled' : 'failed', { error: toErrorData(error) })
    } finally {
      controllers.delete(id)
    }
  }

  return {
    callTool: (name, args) =>
      start({ ...begin(name), kind: 'tool', args }, (client, options) => client.callTool(name, args, options)),
    readResource: (uri) =>
      start({ ...begin(uri), kind: 'resource' }, (client, options) => client.readResource(uri, options)),
    getPrompt: (name, args) =>
      start({ ...begin(name), kind: 'prompt', args }, (client, options) => client.getPrompt(name, args, options)),
    cancel: (runId) => controllers.get(runId)?.abort(),
    cancelAll: () => {
      for (const controller of controllers.values()) controller.abort()
    },
  }
}
