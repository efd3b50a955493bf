import { Play, Square } from 'lucide-react'
import type { Problem } from '../../form/validate.js'
import { latestRun } from '../../store/state.js'
import { useActions, usePlayground } from '../use-store.js'

interface CallBarProps {
  tool: string
  problems: readonly Problem[]
  /** A field holds text that is no JSON. */
  unreadable: boolean
  /** Names the places, where no field shows them. */
  showPaths: boolean
  onCall: (force: boolean) => void
}

const isMac = /mac|iphone|ipad/i.test(navigator.userAgent)

/** Calls and cancels. Arguments that don't fit can be sent all the same: how a server takes them is worth testing. */
export function CallBar({ tool, problems, unreadable, showPaths, onCall }: CallBarProps) {
  const run = usePlayground((state) => latestRun(state.runs, 'tool', tool))
  const { cancel } = useActions()
  const running = run?.status === 'running'
  return (
    <div className="call-bar">
      {unreadable && (
        <p className="field-problem" role="alert">
          A field holds text that is not JSON. Correct it to call the tool.
        </p>
      )}
      {problems.length > 0 && (
        <div className="call-problems" role="alert">
          <p>
            {problems.length === 1 ? 'One thing keeps' : `${problems.length} things keep`} the arguments from fitting
            the input schema.
          </p>
          {showPaths && (
            <ul>
              {problems.map((problem) => (
                <li key={problem.path.join('/') + problem.message}>
                  <code>{problem.path.join('.') || 'arguments'}</code>: {problem.message}
                </li>
              ))}
            </ul>
          )}
          <button type="button" className="button small" disabled={running} onClick={() => onCall(true)}>
            Call anyway
          </button>
        </div>
      )}
      <div className="row">
        <button
          type="button"
          className="button primary"
          data-testid="call"
          data-status={running ? 'running' : 'idle'}
          aria-keyshortcuts={isMac ? 'Meta+Enter' : 'Control+Enter'}
          disabled={running}
          onClick={() => onCall(false)}
        >
          {running ? <span className="spinner" aria-hidden="true" /> : <Play size={15} aria-hidden />}
          {running ? 'Calling' : 'Call tool'}
        </button>
        {running ? (
          <button type="button" className="button danger" onClick={() => cancel(run.id)}>
            <Square size={13} aria-hidden /> Cancel
          </button>
        ) : (
          <span className="field-hint call-keys" aria-hidden="true">
            <kbd>{isMac ? '⌘' : 'Ctrl'}</kbd> <kbd>Enter</kbd>
          </span>
        )}
      </div>
    </div>
  )
}
