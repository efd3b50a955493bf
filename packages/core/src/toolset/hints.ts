import type { Tool } from '../protocol.js'

/** What may be relied on. A server that isn't `trusted` can make no promise and take no warning back. */
export interface ToolHints {
  /** The tool changes nothing. */
  readOnly: boolean
  /** It may run beside other calls: only tools that change nothing may. */
  parallel: boolean
  /** The same call again does no harm. */
  retry: boolean
  /** It may destroy what is there; so is every tool whose server is not trusted to say otherwise. */
  destructive: boolean
  /** It may reach beyond what the server itself keeps; again unless a trusted server says otherwise. */
  openWorld: boolean
}

/** @see {@link https://modelcontextprotocol.io/specification/2026-07-28/schema#toolannotations} */
export function toHints({ annotations }: Tool, trusted: boolean): ToolHints {
  // Servers send `null` for what they don't know.
  const believed = (trusted && annotations) || {}
  const readOnly = believed.readOnlyHint === true
  return {
    readOnly,
    parallel: readOnly,
    retry: readOnly || believed.idempotentHint === true,
    // The specification's defaults: what isn't said is to be expected.
    destructive: !readOnly && believed.destructiveHint !== false,
    openWorld: believed.openWorldHint !== false,
  }
}
