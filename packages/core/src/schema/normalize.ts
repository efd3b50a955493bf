import type { JsonObject } from '../protocol.js'
import { isObject } from './keywords.js'
import type { SchemaFault, SchemaLoss } from './loss.js'
import { type PlainSchema, plainSchema } from './plain.js'
import { step } from './pointer.js'
import { aiSdk } from './profiles/ai-sdk.js'
import { anthropic } from './profiles/anthropic.js'
import { google } from './profiles/google.js'
import { openai } from './profiles/openai.js'
import { openaiStrict } from './profiles/openai-strict.js'
import { inForm, type Profile } from './profiles/profile.js'
import { passedLimit } from './profiles/strict-limits.js'
import { rootObject } from './root-object.js'

export type { SchemaFault, SchemaLoss } from './loss.js'

/** Whose rules a tool's schema must keep. */
export type SchemaProfile = 'ai-sdk' | 'openai' | 'openai-strict' | 'anthropic' | 'google'

export type NormalizedSchema =
  | {
      /** Shared by all who ask for it: not to be altered. */
      schema: JsonObject
      losses: SchemaLoss[]
    }
  | { fault: SchemaFault }

const profiles: Record<SchemaProfile, Profile> = {
  'ai-sdk': aiSdk,
  openai,
  'openai-strict': openaiStrict,
  anthropic,
  google,
}

/** Lists are made anew at each of a model's steps, of tools that stay the same. */
const known = new WeakMap<JsonObject, Map<SchemaProfile | 'plain', unknown>>()

/**
 * A copy of a tool's input schema that a provider accepts, or why there is none. The server's own stays as it is. Whatever
 * a server sends, it never throws, and what it makes is bounded: 5,000 parts, 1,000,000 characters, 32 levels.
 *
 * @param profile - `openai-strict` refuses what strict mode can't express; `openai` takes such a tool without it.
 * @returns The copy and what it lacks. The same objects for the same schema.
 */
export function normalizeSchema(schema: JsonObject, profile: SchemaProfile): NormalizedSchema {
  if (!isObject(schema)) return { fault: { path: '', reason: 'it is no schema' } }
  return remembered(schema, profile, () => normalize(schema, profile))
}

function normalize(schema: JsonObject, profile: SchemaProfile): NormalizedSchema {
  const plain = remembered(schema, 'plain', () => plainRoot(schema))
  if ('fault' in plain) return plain
  const losses = [...plain.losses]
  let fault: SchemaFault | undefined
  const copy = inForm(plain.schema, profiles[profile], {
    pathOf: plain.pathOf,
    lose: (keyword, path, reason) => losses.push({ keyword, path, reason }),
    refuse: (path, reason) => {
      fault ??= { path, reason }
    },
  })
  const limit = profile === 'openai-strict' && passedLimit(copy)
  if (limit) fault ??= { path: '', reason: `strict mode does not take ${limit}` }
  return fault ? { fault } : { schema: copy, losses }
}

function plainRoot(schema: JsonObject): PlainSchema | { fault: SchemaFault } {
  const plain = plainSchema(schema)
  if ('fault' in plain) return plain
  const losses = [...plain.losses]
  const root = rootObject(plain.schema, (keyword, reason) => losses.push({ keyword, path: step('', keyword), reason }))
  return 'fault' in root ? root : { ...plain, schema: root.schema, losses }
}

function remembered<Made>(schema: JsonObject, profile: SchemaProfile | 'plain', make: () => Made): Made {
  const made = known.get(schema) ?? new Map<SchemaProfile | 'plain', unknown>()
  known.set(schema, made)
  if (!made.has(profile)) made.set(profile, make())
  return made.get(profile) as Made
}
