import { useState } from 'react'
import './prose.css'

const shortLines = 8
const shortLength = 480

/** A server's words, as text and nothing but text. Long ones are cut until they are asked for. */
export function Prose({ text }: { text: string }) {
  const [open, setOpen] = useState(false)
  const long = text.length > shortLength || text.split('\n').length > shortLines
  return (
    <div className="prose">
      <p className={long && !open ? 'cut' : undefined}>{text}</p>
      {long && (
        <button type="button" className="button small quiet" aria-expanded={open} onClick={() => setOpen(!open)}>
          {open ? 'Show less' : 'Show all'}
        </button>
      )}
    </div>
  )
}
