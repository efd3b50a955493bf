import { RefreshCw, Search } from 'lucide-react'
import { type KeyboardEvent, type ReactNode, useId, useRef, useState } from 'react'
import type { List } from '../store/state.js'
import { Empty } from '../ui/empty.js'
import { ErrorCard } from './errors/error-card.js'
import './item-list.css'

interface ListItem {
  id: string
  title: string
  /** The name that programs use, where it is another than the title. */
  name?: string | undefined
  note?: ReactNode
}

interface ItemListProps {
  /** What the items are, in the plural: `tools`. */
  label: string
  items: readonly ListItem[]
  status: List<unknown>['status']
  error?: List<unknown>['error']
  chosen: string | undefined
  onChoose: (id: string) => void
  onReload: () => void
  empty: string
}

/** A list to search and to choose from. It is one stop for Tab; the arrow keys move inside. */
export function ItemList({ label, items, status, error, chosen, onChoose, onReload, empty }: ItemListProps) {
  const [query, setQuery] = useState('')
  const list = useRef<HTMLUListElement>(null)
  const searchId = useId()
  const words = query.toLowerCase().split(/\s+/).filter(Boolean)
  const found = items.filter((item) => {
    const text = `${item.title} ${item.name ?? ''} ${item.id}`.toLowerCase()
    return words.every((word) => text.includes(word))
  })
  const entry = found.some((item) => item.id === chosen) ? chosen : found[0]?.id

  function onKeyDown(event: KeyboardEvent) {
    const buttons = [...(list.current?.querySelectorAll('button') ?? [])]
    const at = buttons.indexOf(document.activeElement as HTMLButtonElement)
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: buttons.length - 1 }[event.key]
    if (to === undefined) return
    event.preventDefault()
    buttons[Math.min(Math.max(to, 0), buttons.length - 1)]?.focus()
  }

  return (
    <div className="item-list" data-testid={`${label}-list`} data-status={status}>
      <div className="item-search">
        <Search size={15} aria-hidden />
        <label className="visually-hidden" htmlFor={searchId}>
          Search {label}
        </label>
        <input
          id={searchId}
          className="input"
          type="search"
          placeholder={`Search ${label}`}
          value={query}
          onChange={({ target }) => setQuery(target.value)}
        />
        <button
          type="button"
          className="button icon quiet"
          aria-label={`Read the list of ${label} again`}
          title="Read the list again"
          disabled={status === 'loading'}
          onClick={onReload}
        >
          <RefreshCw size={15} aria-hidden />
        </button>
      </div>
      {error && <ErrorCard error={error} title={`Could not list the ${label}`} />}
      <p className="visually-hidden" role="status">
        {status === 'loading' ? `Reading the ${label}` : query && `${found.length} of ${items.length} ${label}`}
      </p>
      {found.length > 0 ? (
        <ul ref={list} className="items" aria-label={label} onKeyDown={onKeyDown}>
          {found.map((item) => (
            <li key={item.id}>
              <button
                type="button"
                className="item"
                data-testid="item"
                data-name={item.id}
                tabIndex={item.id === entry ? 0 : -1}
                aria-current={item.id === chosen}
                onClick={() => onChoose(item.id)}
              >
                <span className="item-title">{item.title}</span>
                {item.name && item.name !== item.title && <span className="item-name">{item.name}</span>}
                {item.note && <span className="item-note">{item.note}</span>}
              </button>
            </li>
          ))}
        </ul>
      ) : (
        !error &&
        status !== 'loading' && (
          <Empty icon={<Search size={24} aria-hidden />} title={query ? 'Nothing found' : `No ${label}`}>
            {query ? 'No name has all of these words.' : empty}
          </Empty>
        )
      )}
    </div>
  )
}
