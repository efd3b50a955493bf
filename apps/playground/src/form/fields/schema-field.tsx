import getDefaultRegistry from '@rjsf/core/lib/getDefaultRegistry.js'
import { type FieldProps, RJSF_REF_CYCLE_KEY, type RJSFSchema } from '@rjsf/utils'
import { needsJsonBox } from '../drawable.js'
import { JsonField } from './json-field.js'

const LibraryField = getDefaultRegistry().fields.SchemaField!

/** A field for any schema: the library's where it draws one, else a box for JSON. */
export function SchemaField(props: FieldProps) {
  const { schema, formData, registry } = props
  const cyclic = schema[RJSF_REF_CYCLE_KEY as unknown as keyof RJSFSchema]
  if (cyclic || !needsJsonBox(registry.schemaUtils.retrieveSchema(schema, formData))) return <LibraryField {...props} />
  // The library draws nothing at all for a schema without keywords.
  const described = Object.keys(schema).length > 0 ? schema : { description: 'Any JSON value.' }
  return (
    <LibraryField
      {...props}
      schema={described}
      uiSchema={{ ...props.uiSchema, 'ui:field': JsonField, 'ui:fieldReplacesAnyOrOneOf': true }}
    />
  )
}
