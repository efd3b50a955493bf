import { kinds } from '../keywords.js'
import { arraysWithItems, inTurn, objectsWithProperties, portablePatterns } from './edits.js'
import type { Profile } from './profile.js'

/**
 * OpenAI's functions where `strict` is off: JSON Schema as it is, but that every array must have `items` ("array schema
 * missing items"), every object `properties` ("object schema missing properties"), and every pattern compile.
 *
 * @see {@link https://developers.openai.com/api/docs/guides/function-calling}
 */
export const openai: Profile = {
  keywords: new Set(kinds.keys()),
  edit: inTurn(arraysWithItems, objectsWithProperties, portablePatterns),
}
