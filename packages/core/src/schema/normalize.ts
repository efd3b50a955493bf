import type { JsonObject } from '../protocol.js'

/** Whose rules a tool's schema must keep. */
export type SchemaProfile = 'ai-sdk' | 'openai' | 'openai-strict' | 'anthropic' | 'google'

/** A keyword that a provider's schema can't say: the tool works, and the model knows less of it. */
export interface SchemaLoss {
  keyword: string
  /** JSON Pointer into the server's schema. */
  path: string
  reason: string
}

/** What keeps a tool from a provider's models. */
export interface SchemaFault {
  /** JSON Pointer into the server's schema. */
  path: string
  reason: string
}

export type NormalizedSchema = { schema: JsonObject; losses: SchemaLoss[] } | { fault: SchemaFault }

/** A copy of a tool's input schema that a provider accepts, or why there is none. The server's own stays as it is. */
export function normalizeSchema(schema: JsonObject, _profile: SchemaProfile): NormalizedSchema {
  return { schema, losses: [] }
}
