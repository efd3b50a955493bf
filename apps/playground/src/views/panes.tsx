import { ArrowLeft } from 'lucide-react'
import { type ReactNode, useSyncExternalStore } from 'react'
import { Group, Panel, Separator } from 'react-resizable-panels'
import './panes.css'

interface PanesProps {
  /** The section's name, for the way back to its list on a narrow screen. */
  name: string
  list: ReactNode
  /** What is chosen from the list; `undefined` when nothing is. */
  detail: ReactNode | undefined
  /** What came of it. */
  result: ReactNode
  /** Instead of both, while nothing is chosen. */
  intro: ReactNode
  onBack: () => void
}

const wide = matchMedia('(min-width: 960px)')

function useWide(): boolean {
  return useSyncExternalStore(
    (changed) => {
      wide.addEventListener('change', changed)
      return () => wide.removeEventListener('change', changed)
    },
    () => wide.matches,
  )
}

// The item that was chosen, and had the focus, is gone.
const focus = (button: HTMLElement | null) => button?.focus()

/** A list, what is chosen of it and what came of it: side by side, or one after the other on a narrow screen. */
export function Panes({ name, list, detail, result, intro, onBack }: PanesProps) {
  if (!useWide()) {
    if (detail === undefined) return <div className="pane">{list}</div>
    return (
      <div className="panes-narrow">
        <button type="button" className="button small quiet panes-back" ref={focus} onClick={onBack}>
          <ArrowLeft size={14} aria-hidden /> All {name}
        </button>
        <div className="pane">{detail}</div>
        <div className="pane">{result}</div>
      </div>
    )
  }
  return (
    <Group className="panes" orientation="horizontal">
      <Panel className="pane" id="pane-list" defaultSize="22%" minSize="12rem">
        {list}
      </Panel>
      <Separator className="panes-separator" aria-label={`Width of the list of ${name}`} />
      {detail === undefined ? (
        <Panel className="pane sunken" id="pane-intro">
          {intro}
        </Panel>
      ) : (
        <>
          <Panel className="pane" id="pane-detail" defaultSize="37%" minSize="18rem">
            {detail}
          </Panel>
          <Separator className="panes-separator" aria-label="Width of the result" />
          <Panel className="pane sunken" id="pane-result" minSize="18rem">
            {result}
          </Panel>
        </>
      )}
    </Group>
  )
}
