import { errorId, type FieldProps, titleId } from '@rjsf/utils'
import { Segments } from '../../ui/segments.js'
import { emptyValue } from './control.js'

const values = { unset: undefined, true: true, false: false, null: null } as const

/** True, false, or neither: a server may tell false from absent, which a checkbox doesn't. */
export function BooleanField(props: FieldProps) {
  const { schema, formData, onChange, fieldPathId, required, rawErrors } = props
  const unset = schema.default === undefined ? 'Not set' : `Default: ${schema.default}`
  const options: { value: keyof typeof values; label: string }[] = [
    ...(required ? [] : [{ value: 'unset' as const, label: unset }]),
    { value: 'true', label: 'true' },
    { value: 'false', label: 'false' },
    ...(emptyValue(schema) === null ? [{ value: 'null' as const, label: 'null' }] : []),
  ]
  const invalid = (rawErrors?.length ?? 0) > 0
  return (
    <Segments
      labelledBy={titleId(fieldPathId)}
      describedBy={invalid ? errorId(fieldPathId) : undefined}
      invalid={invalid}
      options={options}
      value={options.find((option) => values[option.value] === formData)?.value}
      onChange={(value) => onChange(values[value], fieldPathId.path)}
    />
  )
}
