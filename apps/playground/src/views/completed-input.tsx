import type { CompletionReference } from '@x/web'
import { useEffect, useId, useState } from 'react'
import { useActions } from './use-store.js'

interface CompletedInputProps {
  /** What the argument belongs to. */
  reference: CompletionReference
  name: string
  /** All arguments so far. */
  values: Readonly<Record<string, string>>
  onChange: (text: string | undefined) => void
  control: { id: string; 'aria-describedby'?: string; 'aria-invalid'?: true }
}

/** An argument's field, with the server's suggestions for what was typed so far. */
export function CompletedInput({ reference, name, values, onChange, control }: CompletedInputProps) {
  const { complete } = useActions()
  const [suggestions, setSuggestions] = useState<readonly string[]>([])
  const [focused, setFocused] = useState(false)
  const listId = useId()
  const value = values[name] ?? ''
  // The reference and the other values are made anew with each drawing; what is asked depends on the field alone.
  useEffect(() => {
    if (!focused) return
    let current = true
    const { [name]: _own, ...others } = values
    void complete(reference, { name, value }, others).then((found) => current && setSuggestions(found))
    return () => {
      current = false
    }
  }, [complete, focused, name, value])
  return (
    <>
      <input
        {...control}
        className="input"
        list={listId}
        autoComplete="off"
        spellCheck={false}
        value={value}
        onFocus={() => setFocused(true)}
        onBlur={() => setFocused(false)}
        onChange={({ target }) => onChange(target.value || undefined)}
      />
      <datalist id={listId}>
        {suggestions.map((suggestion) => (
          <option key={suggestion} value={suggestion} />
        ))}
      </datalist>
    </>
  )
}
