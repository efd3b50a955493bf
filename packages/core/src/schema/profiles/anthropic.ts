import { isName, isObject, kinds } from '../keywords.js'
import type { Profile } from './profile.js'

/** "Property keys should match pattern '^[a-zA-Z0-9_.-]{1,64}$'", said of the root's alone. */
const legalName = /^[a-zA-Z0-9_.-]{1,64}$/

/**
 * Anthropic's `input_schema`: JSON Schema 2020-12, with a pattern for the names of the arguments.
 *
 * @see {@link https://platform.claude.com/docs/en/agents-and-tools/tool-use/implement-tool-use}
 */
export const anthropic: Profile = {
  keywords: new Set(kinds.keys()),
  edit(part, { isRoot, lose, refuse }) {
    const { properties, required } = part
    if (!isRoot || !isObject(properties)) return part
    const illegal = Object.keys(properties).filter((name) => !legalName.test(name))
    if (illegal.length === 0) return part
    const needed = Array.isArray(required) ? required.filter(isName) : []
    for (const name of illegal)
      if (needed.includes(name)) refuse('properties', 'the provider refuses this name, and it is required', name)
      else lose('properties', 'the provider refuses this name', name)
    const legal = Object.entries(properties).filter(([name]) => legalName.test(name))
    return { ...part, properties: Object.fromEntries(legal) }
  },
}
