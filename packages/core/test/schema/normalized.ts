import { expect } from 'vitest'
import type { JsonObject } from '../../src/protocol.js'
import { normalizeSchema, type SchemaFault, type SchemaProfile } from '../../src/schema/normalize.js'

export const profiles: SchemaProfile[] = ['ai-sdk', 'openai', 'openai-strict', 'anthropic', 'google']

/** A tool's schema with one property, `p`. */
export const withProperty = (p: JsonObject, more: JsonObject = {}): JsonObject => ({
  type: 'object',
  properties: { p },
  ...more,
})

/** The provider's copy, which has to be there. */
export function normalized(schema: JsonObject, profile: SchemaProfile): JsonObject {
  const result = normalizeSchema(schema, profile)
  expect(result).not.toHaveProperty('fault')
  return 'schema' in result ? result.schema : {}
}

/** `p` of the provider's copy. */
export const property = (schema: JsonObject, profile: SchemaProfile) =>
  (normalized(schema, profile).properties as JsonObject).p as JsonObject

export function fault(schema: JsonObject, profile: SchemaProfile): SchemaFault {
  const result = normalizeSchema(schema, profile)
  return 'fault' in result ? result.fault : { path: 'none', reason: 'it has a copy' }
}

export function losses(schema: JsonObject, profile: SchemaProfile): { keyword: string; path: string }[] {
  const result = normalizeSchema(schema, profile)
  return 'losses' in result ? result.losses.map(({ keyword, path }) => ({ keyword, path })) : []
}
