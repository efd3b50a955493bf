import { isRecord } from '../rules/walk.js'

/** What a schema says that a model goes by, each under the place of the argument that it is about. */
export interface Facts {
  properties: Set<string>
  required: Set<string>
  values: Set<string>
  descriptions: Set<string>
}

/** How often a definition may stand within itself: what a copy must follow at least. */
const maxRecursion = 2

const choices = ['allOf', 'anyOf', 'oneOf']
const isNull = (schema: unknown) => isRecord(schema) && schema.type === 'null'

/**
 * Read straight from the schema, apart from what makes the copies. A place is the path of an argument: `/filter/and[]/name`.
 * Of a choice, every branch speaks of the same place; what only a branch requires is not required there.
 */
export function factsOf(root: unknown): Facts {
  const facts: Facts = { properties: new Set(), required: new Set(), values: new Set(), descriptions: new Set() }

  function visit(schema: unknown, place: string, within: unknown[], isSure: boolean): void {
    if (!isRecord(schema)) return
    const { $ref, description, properties, required, items, prefixItems, additionalProperties } = schema
    if (typeof $ref === 'string') {
      const target = lookUp(root, $ref)
      if (within.filter((one) => one === target).length < maxRecursion)
        visit(target, place, [...within, target], isSure)
    }
    if (typeof description === 'string' && description) facts.descriptions.add(`${place}: ${description}`)
    for (const value of Array.isArray(schema.enum) ? schema.enum : 'const' in schema ? [schema.const] : [])
      if (typeof value === 'string') facts.values.add(`${place}: ${value}`)
    for (const [name, inner] of isRecord(properties) ? Object.entries(properties) : []) {
      facts.properties.add(`${place}/${name}`)
      if (isSure && Array.isArray(required) && required.includes(name)) facts.required.add(`${place}/${name}`)
      visit(inner, `${place}/${name}`, within, true)
    }
    visit(items, `${place}[]`, within, true)
    for (const inner of Array.isArray(prefixItems) ? prefixItems : []) visit(inner, `${place}[]`, within, false)
    visit(additionalProperties, `${place}{}`, within, false)
    for (const keyword of choices) {
      const branches = Array.isArray(schema[keyword]) ? schema[keyword].filter((branch) => !isNull(branch)) : []
      for (const branch of branches)
        visit(branch, place, within, isSure && (keyword === 'allOf' || branches.length === 1))
    }
  }

  visit(root, '', [root], true)
  return facts
}

function lookUp(root: unknown, reference: string): unknown {
  return reference
    .replace(/^#\/?/, '')
    .split('/')
    .filter((step) => step !== '')
    .reduce<unknown>(
      (value, step) => (isRecord(value) ? value[step.replaceAll('~1', '/').replaceAll('~0', '~')] : undefined),
      root,
    )
}

/** What the copy no longer says, by the keyword that said it. */
export function lostFacts(original: Facts, copy: Facts): { keyword: string; what: string }[] {
  const missing = (keyword: string, before: Set<string>, after: Set<string>) =>
    [...before].filter((fact) => !after.has(fact)).map((what) => ({ keyword, what }))
  return [
    ...missing('properties', original.properties, copy.properties),
    ...missing('required', original.required, copy.required),
    ...missing('enum', original.values, copy.values),
    ...missing('description', original.descriptions, copy.descriptions),
  ]
}

/** What the copy says and the original doesn't: arguments that the tool has not, or that it can do without. */
export function addedFacts(original: Facts, copy: Facts, isStrict: boolean): string[] {
  const added = (before: Set<string>, after: Set<string>) => [...after].filter((fact) => !before.has(fact))
  return [
    ...added(original.properties, copy.properties),
    ...added(original.values, copy.values),
    ...added(original.descriptions, copy.descriptions),
    ...(isStrict ? [] : added(original.required, copy.required)),
  ]
}
