import { type ReactNode, useId } from 'react'
import './segments.css'

interface SegmentOption<Value extends string> {
  value: Value
  label: string
  icon?: ReactNode
}

interface SegmentsProps<Value extends string> {
  /** What is chosen; or `labelledBy`, the id of an element that says it. */
  label?: string
  labelledBy?: string
  options: readonly SegmentOption<Value>[]
  value: Value | undefined
  onChange: (value: Value) => void
  /** Shows the icons; the labels are read out and shown on hover. */
  iconsOnly?: boolean
  invalid?: boolean
  describedBy?: string | undefined
}

/** One choice of a few, all in sight: radio buttons that look like one control. */
export function Segments<Value extends string>(props: SegmentsProps<Value>) {
  const name = useId()
  return (
    <div
      className="segments"
      role="radiogroup"
      aria-label={props.label}
      aria-labelledby={props.labelledBy}
      aria-invalid={props.invalid || undefined}
      aria-describedby={props.describedBy}
    >
      {props.options.map(({ value, label, icon }) => (
        <label key={value} className="segment" title={props.iconsOnly ? label : undefined}>
          <input
            type="radio"
            className="visually-hidden"
            name={name}
            checked={value === props.value}
            onChange={() => props.onChange(value)}
          />
          {icon}
          <span className={props.iconsOnly ? 'visually-hidden' : undefined}>{label}</span>
        </label>
      ))}
    </div>
  )
}
