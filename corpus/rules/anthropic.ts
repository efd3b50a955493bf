import type { RuleSet } from './rule.js'
import { isRecord, namesOf, pathsWhere } from './walk.js'
import { nothingHidden, wellFormed } from './well-formed.js'

const define = 'https://platform.claude.com/docs/en/agents-and-tools/tool-use/define-tools'

export const anthropic: RuleSet = {
  tools: [
    {
      title: 'the name has at most 64 of the characters a-z, A-Z, 0-9, _ and -',
      source: define,
      breaches: ({ name }) => (/^[a-zA-Z0-9_-]{1,64}$/.test(name) ? [] : [name]),
    },
    {
      title: 'the root has type object',
      source: define,
      breaches: ({ schema }) => (isRecord(schema) && schema.type === 'object' ? [] : ['/type']),
    },
    {
      // "input_schema does not support oneOf, allOf, or anyOf at the top level"
      title: 'the root is no choice',
      source: 'https://github.com/anthropics/claude-code/issues/40075',
      breaches: ({ schema }) => ['oneOf', 'allOf', 'anyOf'].filter((keyword) => isRecord(schema) && keyword in schema),
    },
    {
      // "Property keys should match pattern '^[a-zA-Z0-9_.-]{1,64}$'"
      title: 'the arguments have names of the characters a-z, A-Z, 0-9, _, . and -',
      source: 'https://github.com/ComposioHQ/composio/issues/3500',
      breaches: ({ schema }) =>
        isRecord(schema) ? namesOf(schema).filter((name) => !/^[a-zA-Z0-9_.-]{1,64}$/.test(name)) : [],
    },
    {
      title: 'no names by pattern',
      source: 'https://github.com/openclaw/openclaw/issues/29416',
      breaches: ({ schema }) => pathsWhere(schema, ({ schema: part }) => 'patternProperties' in part),
    },
    {
      title: 'no references: nothing that they could lead to goes along',
      source: define,
      breaches: ({ schema }) => pathsWhere(schema, ({ schema: part }) => '$ref' in part),
    },
    wellFormed,
    nothingHidden,
  ],
  list: [
    {
      // "tools: Tool names must be unique."
      title: 'no two tools have one name',
      source: define,
      breaches: (tools) => tools.map(({ name }) => name).filter((name, index, all) => all.indexOf(name) !== index),
    },
  ],
}
