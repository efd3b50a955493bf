/** Loaded late, and before the engine: zod sets globals of its own when it is imported. */
import { config } from 'zod/v4/core'

/** Has zod interpret schemas instead of generating code, which strict runtimes forbid, and report already for the asking. */
export function forbidCodeGeneration(): void {
  config({ jitless: true })
}
