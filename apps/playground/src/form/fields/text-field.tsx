import type { FieldProps } from '@rjsf/utils'
import { ChoiceField, isChoice } from './choice-field.js'
import { controlAttributes, emptyValue, placeholder, toText } from './control.js'

/** Text of any length: one line that grows as it is filled. */
export function TextField(props: FieldProps) {
  const { schema, formData, onChange, fieldPathId, disabled } = props
  if (isChoice(props)) return <ChoiceField {...props} />
  return (
    <textarea
      {...controlAttributes(props)}
      className="input growing"
      rows={1}
      spellCheck={false}
      autoComplete="off"
      disabled={disabled}
      placeholder={placeholder(schema)}
      value={toText(formData)}
      onChange={({ target }) => onChange(target.value === '' ? emptyValue(schema) : target.value, fieldPathId.path)}
    />
  )
}
