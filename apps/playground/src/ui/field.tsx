import { type ReactNode, useId } from 'react'

interface FieldProps {
  label: string
  hint?: ReactNode
  problem?: string | undefined
  children: (control: { id: string; 'aria-describedby'?: string; 'aria-invalid'?: true }) => ReactNode
}

/** A labelled control with its hint, or with what is wrong. */
export function Field({ label, hint, problem, children }: FieldProps) {
  const id = useId()
  const note = problem ?? hint
  return (
    <div className="field">
      <label className="field-label" htmlFor={id}>
        {label}
      </label>
      {children({
        id,
        ...(note && { 'aria-describedby': `${id}-note` }),
        ...(problem && { 'aria-invalid': true as const }),
      })}
      {note && (
        <p id={`${id}-note`} className={problem ? 'field-problem' : 'field-hint'} role={problem ? 'alert' : undefined}>
          {note}
        </p>
      )}
    </div>
  )
}
