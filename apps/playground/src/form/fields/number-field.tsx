import type { FieldProps } from '@rjsf/utils'
import { useState } from 'react'
import { readNumber } from '../../json/numbers.js'
import { ChoiceField, isChoice } from './choice-field.js'
import { controlAttributes, emptyValue, placeholder, toText } from './control.js'

/**
 * A number, kept as it was typed. A number input would change 9007199254740993 to its neighbour, and hide what it
 * can't read.
 */
export function NumberField(props: FieldProps) {
  const { schema, formData, onChange, fieldPathId, disabled } = props
  const [typed, setTyped] = useState(() => toText(formData))
  if (isChoice(props)) return <ChoiceField {...props} />
  // `1.` and `1.50` are shown as typed for as long as they mean the value.
  const shown = readNumber(typed) === (formData ?? undefined) ? typed : toText(formData)
  return (
    <input
      {...controlAttributes(props)}
      className="input"
      type="text"
      inputMode={schema.type === 'integer' ? 'numeric' : 'decimal'}
      autoComplete="off"
      disabled={disabled}
      placeholder={placeholder(schema)}
      value={shown}
      onChange={({ target }) => {
        setTyped(target.value)
        onChange(readNumber(target.value) ?? emptyValue(schema), fieldPathId.path)
      }}
    />
  )
}
