import { anthropic } from './anthropic.js'
import { openai } from './openai.js'
import type { Rule, RuleSet } from './rule.js'
import { isRecord, namesOf, pathsWhere, typesOf } from './walk.js'

/** How the SDK's Google provider reads a schema into `parameters`, the API's own schemas. */
const google = 'https://github.com/vercel/ai/blob/main/packages/google/src/convert-json-schema-to-openapi-schema.ts'
const fields = 'https://ai.google.dev/api/caching#Schema'

/** What `parameters` refuses of what that provider leaves as it is. */
const throughGoogle: Rule[] = [
  {
    // "parameters.properties[…].type: must be specified"
    title: 'every part has a type, or is a choice',
    source: 'https://github.com/vercel/ai/issues/19002',
    breaches: ({ schema }) => pathsWhere(schema, ({ schema: part }) => !('type' in part) && !('anyOf' in part)),
  },
  {
    title: 'one type, or one and null',
    source: google,
    breaches: ({ schema }) =>
      pathsWhere(schema, ({ schema: part }) => typesOf(part).filter((type) => type !== 'null').length > 1),
  },
  {
    // "enum: only allowed for STRING type"
    title: 'choices are of texts',
    source: fields,
    breaches: ({ schema }) =>
      pathsWhere(schema, ({ schema: part }) =>
        [part.const ?? 'text', ...(Array.isArray(part.enum) ? part.enum : [])].some(
          (value) => typeof value !== 'string',
        ),
      ),
  },
  {
    // An object without either is read as nothing, and what requires it is refused.
    title: 'objects within have properties, or may have any',
    source: google,
    breaches: ({ schema }) =>
      pathsWhere(
        schema,
        ({ schema: part, path }) =>
          path !== '' &&
          typesOf(part).includes('object') &&
          !isRecord(part.properties) &&
          !('additionalProperties' in part),
      ),
  },
  {
    title: 'no oneOf and no allOf: the API has no such fields',
    source: fields,
    breaches: ({ schema }) => pathsWhere(schema, ({ schema: part }) => 'oneOf' in part || 'allOf' in part),
  },
  {
    title: 'what is required is among the properties',
    source: fields,
    breaches: ({ schema }) =>
      pathsWhere(
        schema,
        ({ schema: part }) =>
          Array.isArray(part.required) && part.required.some((name) => !namesOf(part).includes(name as string)),
      ),
  },
]

/** That is known of roots alone; within, `parameters` refuses an empty list of properties. */
const objectsListProperties = 'objects list their properties'

/** The SDK passes a schema on to whichever provider is behind it: what one of them refuses is refused. */
export const aiSdk: RuleSet = {
  tools: [
    ...anthropic.tools,
    ...openai.tools.map(
      (rule): Rule =>
        rule.title === objectsListProperties
          ? { ...rule, breaches: (tool) => rule.breaches(tool).filter((path) => path === '/') }
          : rule,
    ),
    ...throughGoogle,
  ],
  list: anthropic.list,
}
