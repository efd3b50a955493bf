import { descriptionId, errorId, type FieldProps, type RJSFSchema } from '@rjsf/utils'

/** What every control of the form has: its id, and how a screen reader finds what is said about it. */
export function controlAttributes(
  props: Pick<FieldProps, 'fieldPathId' | 'rawErrors' | 'hideError' | 'schema' | 'required'>,
) {
  const { fieldPathId, rawErrors, hideError, schema, required } = props
  const invalid = !hideError && (rawErrors?.length ?? 0) > 0
  const notes = [invalid && errorId(fieldPathId), schema.description && descriptionId(fieldPathId)].filter(Boolean)
  return {
    id: fieldPathId.$id,
    ...(notes.length > 0 && { 'aria-describedby': notes.join(' ') }),
    ...(invalid && { 'aria-invalid': true as const }),
    ...(required && { 'aria-required': true as const }),
  }
}

/** What an emptied field holds: `null` where the schema takes it, else nothing. */
export function emptyValue(schema: RJSFSchema): null | undefined {
  const nullable = [schema.type].flat().includes('null') || schema.enum?.includes(null)
  return nullable ? null : undefined
}

/** A few grey words: the value that the server takes by default, or an example of one. */
export function placeholder(schema: RJSFSchema): string | undefined {
  if (schema.default !== undefined && schema.default !== null) return `Default: ${toText(schema.default)}`
  const [example] = Array.isArray(schema.examples) ? schema.examples : []
  return example === undefined ? undefined : `For example: ${toText(example)}`
}

/** A value as a text field shows it. */
export function toText(value: unknown): string {
  if (value === undefined || value === null) return ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}
