import { deepEquals, type EnumOptionsType, type FieldProps, optionsList } from '@rjsf/utils'
import { controlAttributes, placeholder } from './control.js'

/** Whether a schema lists its values. */
export function isChoice({ schema, registry }: FieldProps): boolean {
  return 'const' in schema || registry.schemaUtils.isSelect(schema)
}

/** One of the values that the schema lists. */
export function ChoiceField(props: FieldProps) {
  const { schema, formData, onChange, fieldPathId, disabled } = props
  const only = { value: schema.const, label: String(schema.const) }
  const options: EnumOptionsType[] = 'const' in schema ? [only] : (optionsList(schema) ?? [])
  const selected = options.findIndex((option) => deepEquals(option.value, formData))
  return (
    <select
      {...controlAttributes(props)}
      className="input"
      disabled={disabled}
      value={selected}
      onChange={({ target }) => onChange(options[Number(target.value)]?.value, fieldPathId.path)}
    >
      <option value={-1}>{placeholder(schema) ?? 'Not set'}</option>
      {options.map((option, index) => (
        <option key={option.label} value={index}>
          {option.label}
        </option>
      ))}
    </select>
  )
}
