import { useVirtualizer } from '@tanstack/react-virtual'
import { type KeyboardEvent, useId, useMemo, useRef, useState } from 'react'
import { CopyButton } from '../ui/copy-button.js'
import './json-tree.css'
import { JsonRow } from './json-row.js'
import { initiallyExpanded, type Row, toJsonText, toRows } from './rows.js'

const rowHeight = 22
const initialRows = 60

/** A JSON value as a tree. Only the lines in sight are in the document, so that 10 MB open at once. */
export function JsonTree({ value, label }: { value: unknown; label: string }) {
  const [expanded, setExpanded] = useState<ReadonlySet<string>>(() => initiallyExpanded(value, initialRows))
  const [activeId, setActiveId] = useState('')
  const rows = useMemo(() => toRows(value, expanded), [value, expanded])
  const scroller = useRef<HTMLDivElement>(null)
  const treeId = useId()
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    getItemKey: (index) => rows[index]?.id ?? index,
    overscan: 12,
  })
  const active = Math.max(
    0,
    rows.findIndex((row) => row.id === activeId),
  )

  function toggle(row: Row) {
    const next = new Set(expanded)
    if (!next.delete(row.id)) next.add(row.id)
    setExpanded(next)
  }

  function activate(index: number) {
    const row = rows[Math.min(Math.max(index, 0), rows.length - 1)]
    if (!row) return
    setActiveId(row.id)
    virtualizer.scrollToIndex(rows.indexOf(row))
  }

  function onKeyDown(event: KeyboardEvent) {
    const row = rows[active]
    if (!row || event.ctrlKey || event.metaKey || event.altKey) return
    const steps: Record<string, () => void> = {
      ArrowDown: () => activate(active + 1),
      ArrowUp: () => activate(active - 1),
      Home: () => activate(0),
      End: () => activate(rows.length - 1),
      ArrowRight: () => (row.expandable && !row.expanded ? toggle(row) : activate(active + 1)),
      ArrowLeft: () => (row.expanded ? toggle(row) : activate(parentIndex(rows, active))),
      Enter: () => row.expandable && toggle(row),
      ' ': () => row.expandable && toggle(row),
    }
    const step = steps[event.key]
    if (!step) return
    event.preventDefault()
    step()
  }

  const items = virtualizer.getVirtualItems()
  return (
    <div className="json">
      <div className="json-actions">
        <CopyButton label={`Copy ${label} as JSON`} text={() => toJsonText(value)} />
      </div>
      <div
        ref={scroller}
        className="json-tree"
        role="tree"
        aria-label={label}
        tabIndex={0}
        aria-activedescendant={items.some((item) => item.index === active) ? `${treeId}-${active}` : undefined}
        onKeyDown={onKeyDown}
      >
        <div className="json-lines" role="presentation" style={{ height: virtualizer.getTotalSize() }}>
          {items.map((item) => {
            const row = rows[item.index] as Row
            return (
              <JsonRow
                key={item.key}
                id={`${treeId}-${item.index}`}
                ref={virtualizer.measureElement}
                index={item.index}
                offset={item.start}
                row={row}
                active={item.index === active}
                onPress={() => {
                  setActiveId(row.id)
                  if (row.expandable) toggle(row)
                }}
              />
            )
          })}
        </div>
      </div>
    </div>
  )
}

function parentIndex(rows: readonly Row[], index: number): number {
  const depth = rows[index]?.depth ?? 0
  for (let above = index - 1; above >= 0; above -= 1) if ((rows[above]?.depth ?? 0) < depth) return above
  return 0
}
