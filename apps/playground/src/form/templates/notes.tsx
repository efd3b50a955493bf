import { type DescriptionFieldProps, errorId, type FieldErrorProps } from '@rjsf/utils'

/** A server's description, as text: it may hold anything. */
export function DescriptionTemplate({ id, description }: DescriptionFieldProps) {
  if (!description) return null
  return (
    <p id={id} className="field-hint">
      {description}
    </p>
  )
}

export function ErrorsTemplate({ errors = [], fieldPathId }: FieldErrorProps) {
  if (errors.length === 0) return null
  return (
    <ul id={errorId(fieldPathId)} className="field-problem">
      {errors.map((error) => (
        <li key={String(error)}>{error}</li>
      ))}
    </ul>
  )
}
