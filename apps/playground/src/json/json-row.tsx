import { ChevronRight } from 'lucide-react'
import type { Ref } from 'react'
import { formatBytes } from '../ui/format.js'
import { isContainer, preview, type Row, shortString } from './rows.js'

// An opened string is laid out whole, and laying out megabytes of text blocks the page.
const openString = 20_000

interface JsonRowProps {
  ref: Ref<HTMLDivElement>
  id: string
  row: Row
  index: number
  /** Pixels from the top of the tree. */
  offset: number
  active: boolean
  onPress: () => void
}

export function JsonRow({ ref, id, row, index, offset, active, onPress }: JsonRowProps) {
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the tree, which has the focus, handles the keys.
    // biome-ignore lint/a11y/useFocusableInteractive: the tree has the focus and names its active line.
    <div
      ref={ref}
      id={id}
      data-index={index}
      className="json-row"
      role="treeitem"
      aria-level={row.depth + 1}
      aria-posinset={row.position}
      aria-setsize={row.siblings}
      aria-expanded={row.expandable ? row.expanded : undefined}
      aria-selected={active}
      style={{ transform: `translateY(${offset}px)`, paddingLeft: `${row.depth * 16 + 4}px` }}
      onClick={onPress}
    >
      <ChevronRight className="json-chevron" size={14} aria-hidden visibility={row.expandable ? 'visible' : 'hidden'} />
      {row.range ? (
        <span className="json-range">
          {row.range.from.toLocaleString('en')} … {(row.range.to - 1).toLocaleString('en')}
        </span>
      ) : (
        <>
          {row.key !== undefined && <span className="json-key">{row.key}:</span>}
          <JsonValue value={row.value} open={row.expanded} />
        </>
      )}
    </div>
  )
}

function JsonValue({ value, open }: { value: unknown; open: boolean }) {
  if (typeof value === 'string') {
    if (open) {
      const rest = value.length - openString
      return (
        <span className="json-string open">
          {value.slice(0, openString)}
          {rest > 0 && (
            <span className="json-note"> … {rest.toLocaleString('en')} more characters; copy to see them</span>
          )}
        </span>
      )
    }
    const cut = value.length > shortString
    return (
      <span className="json-string">
        {JSON.stringify(cut ? value.slice(0, shortString) : value)}
        {cut && <span className="json-note"> … {value.length.toLocaleString('en')} characters</span>}
      </span>
    )
  }
  if (typeof value === 'number') return <span className="json-number">{String(value)}</span>
  if (typeof value === 'boolean' || value === null) return <span className="json-word">{String(value)}</span>
  if (ArrayBuffer.isView(value))
    return <span className="json-note">{formatBytes(value.byteLength)} of binary data</span>
  if (isContainer(value))
    return <span className="json-note">{open ? (Array.isArray(value) ? '[' : '{') : preview(value)}</span>
  return <span className="json-note">{String(value)}</span>
}
