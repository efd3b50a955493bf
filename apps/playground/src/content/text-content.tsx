import { useState } from 'react'
import { JsonTree } from '../json/json-tree.js'
import { CopyButton } from '../ui/copy-button.js'
import { parseShownJson } from './shown-json.js'

// Laying out megabytes of text blocks the page.
const step = 50_000

/** Text, as text: no markup in it is followed. JSON can be seen as a tree. */
export function TextContent({ text, label }: { text: string; label: string }) {
  const [shown, setShown] = useState(step)
  const [asTree, setAsTree] = useState(false)
  const json = parseShownJson(text)
  return (
    <div className="text">
      <div className="text-actions">
        {json && (
          <button type="button" className="button small quiet" aria-pressed={asTree} onClick={() => setAsTree(!asTree)}>
            JSON tree
          </button>
        )}
        {!asTree && <CopyButton label={`Copy ${label.toLowerCase()}`} text={() => text} />}
      </div>
      {asTree && json ? (
        <JsonTree value={json.value} label={`${label} as JSON`} />
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
        <pre className="text-body" tabIndex={0}>
          {text.slice(0, shown)}
        </pre>
      )}
      {!asTree && text.length > shown && (
        <button type="button" className="button small" onClick={() => setShown(shown + step)}>
          Show more ({(text.length - shown).toLocaleString('en')} characters left)
        </button>
      )}
    </div>
  )
}
