import { kinds } from '../keywords.js'
import { legalArguments } from './edits.js'
import type { Profile } from './profile.js'

/**
 * Anthropic's `input_schema`: JSON Schema 2020-12, with a pattern for the names of the arguments.
 *
 * @see {@link https://platform.claude.com/docs/en/agents-and-tools/tool-use/implement-tool-use}
 */
export const anthropic: Profile = { keywords: new Set(kinds.keys()), edit: legalArguments }
