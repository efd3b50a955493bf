import type { ElicitRequest } from '@modelcontextprotocol/server'
import type { DemoServerOptions, Era } from './events.js'
import type { Answer, DemoTool, ToolContext, ToolResult } from './tool.js'

/** Thrown by a modern `elicit` to leave the tool until the client calls again with the answer. */
export class InputRequiredError extends Error {
  constructor(
    readonly key: string,
    readonly question: ElicitRequest,
    readonly answers: Record<string, Answer>,
  ) {
    super(`The user is asked: ${key}`)
    this.name = 'InputRequiredError'
  }
}

/** Runs a tool and tells the log how it went. */
export async function runTool(
  era: Era,
  tool: DemoTool,
  args: Record<string, unknown>,
  context: ToolContext,
  onEvent: DemoServerOptions['onEvent'],
): Promise<ToolResult> {
  onEvent?.({ type: 'tool', era, tool: tool.name, phase: 'started' })
  try {
    const result = await tool.run(args, context)
    onEvent?.({ type: 'tool', era, tool: tool.name, phase: 'finished' })
    return result
  } catch (error) {
    const asked = error instanceof InputRequiredError
    const phase = asked ? 'input-required' : context.signal.aborted ? 'cancelled' : 'failed'
    onEvent?.({ type: 'tool', era, tool: tool.name, phase })
    throw error
  }
}
