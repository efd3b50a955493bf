import { deepEquals, type WidgetProps } from '@rjsf/utils'

/** The form library's own choices: which member of a union, and which of several listed values. */
export function OptionSelect(props: WidgetProps) {
  return props.multiple ? <OptionBoxes {...props} /> : <OptionList {...props} />
}

function OptionList({ id, label, options, value, onChange, disabled }: WidgetProps) {
  const entries = options.enumOptions ?? []
  return (
    <select
      id={id}
      className="input"
      aria-label={`Kind of ${label || 'value'}`}
      disabled={disabled}
      value={entries.findIndex((option) => option.value === value)}
      onChange={({ target }) => onChange(entries[Number(target.value)]?.value)}
    >
      {entries.map((option, index) => (
        <option key={option.label} value={index}>
          {option.label}
        </option>
      ))}
    </select>
  )
}

function OptionBoxes({ id, label, options, value, onChange, disabled }: WidgetProps) {
  const chosen = Array.isArray(value) ? (value as unknown[]) : []
  const isChosen = (candidate: unknown) => chosen.some((item) => deepEquals(item, candidate))
  return (
    <fieldset id={id} className="row" aria-label={label}>
      {(options.enumOptions ?? []).map((option) => (
        <label key={option.label} className="form-check">
          <input
            type="checkbox"
            checked={isChosen(option.value)}
            disabled={disabled}
            onChange={({ target }) =>
              onChange(
                target.checked ? [...chosen, option.value] : chosen.filter((item) => !deepEquals(item, option.value)),
              )
            }
          />
          {option.label}
        </label>
      ))}
    </fieldset>
  )
}
