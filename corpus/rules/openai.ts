import type { Rule, RuleSet } from './rule.js'
import { isRecord, namesOf, partsOf, pathsWhere, typesOf } from './walk.js'
import { nothingHidden, wellFormed } from './well-formed.js'

const functions = 'https://developers.openai.com/api/docs/guides/function-calling'
const structured = 'https://developers.openai.com/api/docs/guides/structured-outputs#supported-schemas'
const reference = 'https://developers.openai.com/api/reference/resources/chat'

/** Of every function, held to its schema or not. */
const everyFunction: Rule[] = [
  {
    title: 'the name has at most 64 of the characters a-z, A-Z, 0-9, _ and -',
    source: reference,
    breaches: ({ name }) => (/^[a-zA-Z0-9_-]{1,64}$/.test(name) ? [] : [name]),
  },
  {
    title: 'the root has type object',
    source: functions,
    breaches: ({ schema }) => (isRecord(schema) && schema.type === 'object' ? [] : ['/type']),
  },
  {
    // "schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'const'/'not' at the top level"
    title: 'the root is no choice',
    source: 'https://github.com/langchain-ai/langchainjs/issues/9804',
    breaches: ({ schema }) =>
      ['oneOf', 'anyOf', 'allOf', 'enum', 'const', 'not'].filter((keyword) => isRecord(schema) && keyword in schema),
  },
  {
    // "object schema missing properties"
    title: 'objects list their properties',
    source: 'https://github.com/promptfoo/promptfoo/issues/5960',
    breaches: ({ schema }) =>
      pathsWhere(schema, ({ schema: part }) => typesOf(part).includes('object') && !isRecord(part.properties)),
  },
  {
    // "array schema missing items"
    title: 'arrays say what they hold',
    source: 'https://github.com/sigoden/aichat/pull/1049',
    breaches: ({ schema }) =>
      pathsWhere(schema, ({ schema: part }) => typesOf(part).includes('array') && part.items === undefined),
  },
  {
    // "Invalid JSON schema: regex lookaround is not supported", "… is not a 'regex'"
    title: 'patterns are of Python’s kind, and don’t look around',
    source: 'https://github.com/vercel/ai/pull/21037',
    breaches: ({ schema }) =>
      pathsWhere(
        schema,
        ({ schema: { pattern } }) =>
          typeof pattern === 'string' && /\(\?<?[=!]|\(\?<[a-zA-Z]|\\[pPk]|\\u\{/.test(pattern.replaceAll('\\\\', '')),
      ),
  },
  {
    title: 'references lead to something in the schema',
    source: structured,
    breaches: ({ schema }) => pathsWhere(schema, ({ schema: part }) => '$ref' in part),
  },
  wellFormed,
  nothingHidden,
]

const strictKeywords = new Set([
  ...['type', 'title', 'description', 'enum', 'const', 'anyOf', '$ref', '$defs'],
  ...['properties', 'required', 'additionalProperties', 'items', 'minItems', 'maxItems', 'pattern', 'format'],
  ...['multipleOf', 'minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'],
])
const strictFormats = ['date-time', 'time', 'date', 'duration', 'email', 'hostname', 'ipv4', 'ipv6', 'uuid']

const choicesOf = (schema: unknown) =>
  partsOf(schema).map(({ schema: part }) => (Array.isArray(part.enum) ? part.enum : []))

/** Of a function in strict mode. */
const strictFunction: Rule[] = [
  {
    title: 'objects have no properties but those that are named',
    source: structured,
    breaches: ({ schema }) =>
      pathsWhere(schema, ({ schema: part }) => typesOf(part).includes('object') && part.additionalProperties !== false),
  },
  {
    title: 'every property is required',
    source: structured,
    breaches: ({ schema }) =>
      pathsWhere(schema, ({ schema: part }) => {
        const required = Array.isArray(part.required) ? part.required : []
        return namesOf(part).some((name) => !required.includes(name)) || required.length !== namesOf(part).length
      }),
  },
  {
    title: 'only keywords of the subset',
    source: structured,
    breaches: ({ schema }) =>
      pathsWhere(schema, ({ schema: part }) => Object.keys(part).some((keyword) => !strictKeywords.has(keyword))),
  },
  {
    title: 'every part has a type, or is a choice',
    source: structured,
    breaches: ({ schema }) =>
      pathsWhere(schema, ({ schema: part }) => !['type', 'anyOf', '$ref'].some((keyword) => keyword in part)),
  },
  {
    title: 'only formats of the subset',
    source: structured,
    breaches: ({ schema }) =>
      pathsWhere(schema, ({ schema: { format } }) => format !== undefined && !strictFormats.includes(format as string)),
  },
  {
    title: 'at most 5,000 properties, in 10 levels',
    source: structured,
    breaches: ({ schema }) => {
      const parts = partsOf(schema)
      const count = parts.reduce((sum, { schema: part }) => sum + namesOf(part).length, 0)
      return [
        ...(count > 5_000 ? [`${count} properties`] : []),
        ...parts.filter(({ level }) => level > 10).map(({ path }) => path),
      ]
    },
  },
  {
    title: 'at most 1,000 values to choose from, and 15,000 characters of more than 250',
    source: structured,
    breaches: ({ schema }) => {
      const choices = choicesOf(schema)
      const long = choices.filter((values) => values.length > 250 && values.join('').length > 15_000)
      return [...(choices.flat().length > 1_000 ? ['all values'] : []), ...long.map(() => 'a long choice')]
    },
  },
  {
    title: 'at most 120,000 characters of names and values',
    source: structured,
    breaches: ({ schema }) => {
      const texts = partsOf(schema).flatMap(({ schema: part }) => [
        ...namesOf(part),
        ...(Array.isArray(part.enum) ? part.enum : []),
        ...(typeof part.const === 'string' ? [part.const] : []),
      ])
      return texts.join('').length > 120_000 ? ['all names and values'] : []
    },
  },
]

export const openai: RuleSet = {
  tools: [
    ...everyFunction,
    ...strictFunction.map((rule): Rule => ({ ...rule, breaches: (tool) => (tool.strict ? rule.breaches(tool) : []) })),
  ],
  list: [
    {
      title: 'no two tools have one name',
      source: functions,
      breaches: (tools) => tools.map(({ name }) => name).filter((name, index, all) => all.indexOf(name) !== index),
    },
  ],
}
