import { deepEquals, type FieldProps } from '@rjsf/utils'
import { useState } from 'react'
import { controlAttributes } from './control.js'

/** What the form's fields tell the form. */
export interface FormContext {
  /** Says that the text of a field is no JSON, or (`undefined`) that it is again. */
  reportUnreadable(fieldId: string, problem: string | undefined): void
}

/** Any JSON value, written as such. */
export function JsonField(props: FieldProps) {
  const { formData, onChange, fieldPathId, disabled, registry } = props
  const { reportUnreadable } = registry.formContext as FormContext
  const [typed, setTyped] = useState(() => toJsonText(formData))
  const read = readJson(typed)
  // The value may change from outside: by another editor, or when an earlier call is restored.
  const shown = read.problem !== undefined || deepEquals(read.value, formData) ? typed : toJsonText(formData)
  const problem = shown === typed ? read.problem : undefined
  const attributes = controlAttributes(props)
  return (
    <>
      <textarea
        {...attributes}
        {...(problem && { 'aria-invalid': true, 'aria-describedby': `${attributes.id}__unreadable` })}
        className="input growing mono"
        rows={2}
        spellCheck={false}
        autoComplete="off"
        disabled={disabled}
        placeholder="Any JSON"
        value={shown}
        onChange={({ target }) => {
          setTyped(target.value)
          const next = readJson(target.value)
          reportUnreadable(fieldPathId.$id, next.problem)
          if (next.problem === undefined) onChange(next.value, fieldPathId.path)
        }}
      />
      {problem && (
        <p id={`${attributes.id}__unreadable`} className="field-problem">
          {problem}
        </p>
      )}
    </>
  )
}

function toJsonText(value: unknown): string {
  return value === undefined ? '' : JSON.stringify(value, null, 2)
}

function readJson(text: string): { value: unknown; problem?: never } | { value?: never; problem: string } {
  if (!text.trim()) return { value: undefined }
  try {
    return { value: JSON.parse(text) }
  } catch (error) {
    return { problem: `This is not valid JSON: ${(error as Error).message}` }
  }
}
