import type { CallToolResult, Finding, Json, JsonObject } from '../protocol.js'
import type { Verdict } from '../schema/validate.js'
import type { ToolMemory } from './tool-memory.js'

export interface OutputCheckOptions {
  toolMemory: Pick<ToolMemory, 'outputSchema'>
  /** Whether the server's regular expressions are run. */
  trusted: boolean
  report(finding: Finding): void
}

type Check = (value: Json) => Verdict

/** Where a result keeps what is checked. */
const place = '/structuredContent'

/**
 * Holds what a tool answers to what it promised. Whatever comes of it, the tool has run and its result stays: what is
 * wrong with it is a finding. What can't be checked is told of once for each tool, and marked on every result.
 */
export function createOutputCheck({ toolMemory, trusted, report }: OutputCheckOptions) {
  /** By the schema itself: a list that was read anew brings another. */
  const checks = new WeakMap<object, Check>()
  const told = new Map<string, string>()

  async function check(schema: object, value: Json): Promise<Verdict> {
    let check = checks.get(schema)
    if (!check) {
      if (Array.isArray(schema)) return { unvalidated: 'its outputSchema is no object' }
      try {
        // Most results need none. In a worker from a Blob it can't be loaded, unless it was mended for that.
        const { createCheck } = await import('../schema/validate.js')
        check = createCheck(schema as JsonObject, { patterns: trusted })
      } catch {
        return { unvalidated: 'the validator could not be loaded' }
      }
      checks.set(schema, check)
    }
    return check(value)
  }

  return async (tool: string, result: CallToolResult): Promise<CallToolResult> => {
    const { structuredContent, isError, findings } = result
    const schema = toolMemory.outputSchema(tool)
    // Of a failure nothing was promised. Servers send null for what they don't have.
    if (isError || schema === undefined || schema === null) return result
    if (structuredContent === undefined) {
      const message = `The tool "${tool}" promises structuredContent, by its outputSchema, and sent none`
      return add({ code: 'output-schema', message, path: place })
    }
    const verdict: Verdict =
      typeof schema === 'object'
        ? await check(schema, structuredContent)
        : { unvalidated: 'its outputSchema is no object' }
    if ('unvalidated' in verdict) {
      const { unvalidated } = verdict
      const message = `The structuredContent of "${tool}" was not checked: ${unvalidated}`
      const known = told.get(tool) === unvalidated
      told.set(tool, unvalidated)
      return add({ code: 'unvalidated', message, path: place }, known)
    }
    if (verdict.valid) return result
    const message = `The structuredContent of "${tool}" is not what its outputSchema promises: ${verdict.reason}`
    return add({ code: 'output-schema', message, path: `${place}${verdict.path}` })

    function add(finding: Finding, known = false): CallToolResult {
      if (!known) report(finding)
      return { ...result, findings: [...findings, finding] }
    }
  }
}
