import type { RuleSet } from './rule.js'
import { isRecord, namesOf, pathsWhere, typesOf } from './walk.js'
import { nothingHidden, wellFormed } from './well-formed.js'

const declaration = 'https://ai.google.dev/api/caching#FunctionDeclaration'
/** Of JSON Schema: "only the following properties are supported". */
const jsonSchema = 'https://ai.google.dev/api/generate-content#FIELDS.response_json_schema'
/** The fields of the API's own schemas, to which JSON Schema is read. */
const fields = 'https://ai.google.dev/api/caching#Schema'

const keywords = new Set([
  ...['$id', '$defs', '$ref', '$anchor', 'type', 'format', 'title', 'description', 'enum', 'items', 'prefixItems'],
  ...['minItems', 'maxItems', 'minimum', 'maximum', 'anyOf', 'oneOf', 'properties', 'additionalProperties', 'required'],
  ...['default', 'pattern', 'minLength', 'maxLength', 'minProperties', 'maxProperties', 'propertyOrdering'],
])

export const google: RuleSet = {
  tools: [
    {
      title: 'the name begins with a letter or _ and has at most 128 of a-z, A-Z, 0-9, _, ., : and -',
      source: declaration,
      breaches: ({ name }) => (/^[a-zA-Z_][a-zA-Z0-9_.:-]{0,127}$/.test(name) ? [] : [name]),
    },
    {
      title: 'the root describes an object',
      source: declaration,
      breaches: ({ schema }) => (isRecord(schema) && schema.type === 'object' ? [] : ['/type']),
    },
    {
      title: `only keywords that are supported (${fields})`,
      source: jsonSchema,
      breaches: ({ schema }) =>
        pathsWhere(schema, ({ schema: part }) => Object.keys(part).some((keyword) => !keywords.has(keyword))),
    },
    {
      title: 'choices are of texts and numbers',
      source: jsonSchema,
      breaches: ({ schema }) =>
        pathsWhere(
          schema,
          ({ schema: part }) =>
            Array.isArray(part.enum) && part.enum.some((value) => !['string', 'number'].includes(typeof value)),
        ),
    },
    {
      // "reference to undefined schema at properties.…"
      title: 'no references',
      source: 'https://github.com/google-gemini/gemini-cli/issues/13326',
      breaches: ({ schema }) => pathsWhere(schema, ({ schema: part }) => '$ref' in part),
    },
    {
      // "property is not defined"
      title: 'what is required is among the properties',
      source: fields,
      breaches: ({ schema }) =>
        pathsWhere(
          schema,
          ({ schema: part }) =>
            Array.isArray(part.required) && part.required.some((name) => !namesOf(part).includes(name as string)),
        ),
    },
    {
      // "Proto field is not repeating, cannot start list": a type and null is what the API can say.
      title: 'one type, or one and null',
      source: 'https://github.com/taylorwilsdon/google_workspace_mcp/issues/1099',
      breaches: ({ schema }) =>
        pathsWhere(schema, ({ schema: part }) => typesOf(part).filter((type) => type !== 'null').length > 1),
    },
    wellFormed,
    nothingHidden,
  ],
  list: [
    {
      title: 'no two functions have one name',
      source: declaration,
      breaches: (tools) => tools.map(({ name }) => name).filter((name, index, all) => all.indexOf(name) !== index),
    },
  ],
}
