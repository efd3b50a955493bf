import type { JsonObject } from '@x/core'
import type { Provider } from '../src/formats.js'

/** A schema that a provider can't have, whatever is done to it. */
export interface BadSchema {
  what: string
  schema: JsonObject
  /** Absent: for none of them. */
  providers?: Provider[]
  /** Where its fault is. */
  path: string
}

export const badSchemas: BadSchema[] = [
  { what: 'no object', schema: { type: 'array', items: { type: 'string' } }, path: '/type' },
  {
    what: 'a hidden name',
    schema: { type: 'object', properties: { 'path\u202e': { type: 'string' } } },
    path: '/properties/path',
  },
  {
    what: 'a hidden value',
    schema: { type: 'object', properties: { mode: { enum: ['read', 'write\u{e0041}'] } } },
    path: '/properties/mode/enum/1',
  },
  {
    what: 'more parts than a model can read',
    schema: {
      type: 'object',
      properties: Object.fromEntries(Array.from({ length: 6_000 }, (_, index) => [`p${index}`, { type: 'string' }])),
    },
    path: '',
  },
  {
    what: 'a required name that Anthropic refuses',
    schema: { type: 'object', properties: { 'filter[id]': { type: 'string' } }, required: ['filter[id]'] },
    providers: ['anthropic', 'ai-sdk'],
    path: '/properties/filter[id]',
  },
]
