import { RotateCcw } from 'lucide-react'
import type { Run, RunStatus } from '../../store/state.js'
import { formatDuration, formatTime } from '../../ui/format.js'
import { useActions } from '../use-store.js'

const statuses: Record<RunStatus, { label: string; tone: string }> = {
  running: { label: 'Running', tone: 'accent' },
  done: { label: 'Done', tone: 'good' },
  'tool-error': { label: 'Tool error', tone: 'bad' },
  failed: { label: 'Failed', tone: 'bad' },
  cancelled: { label: 'Cancelled', tone: 'warn' },
}

interface RunHeadProps {
  run: Run
  /** The runs of the same subject, newest first. */
  runs: readonly Run[]
  onChoose: (id: number) => void
}

/** How a run went, and the way to the earlier ones. */
export function RunHead({ run, runs, onChoose }: RunHeadProps) {
  const { restore } = useActions()
  const { label, tone } = statuses[run.status]
  return (
    <header className="run-head">
      <h2 className="visually-hidden">Result</h2>
      <span className={`badge ${tone}`} role="status">
        {label}
      </span>
      <span className="field-hint">
        {run.tookMs !== undefined && `${formatDuration(run.tookMs)} · `}
        {formatTime(run.startedAt)}
      </span>
      <span className="run-head-more">
        {run.kind === 'tool' && run.id !== runs[0]?.id && (
          <button type="button" className="button small" onClick={() => restore(run.subject, run.args)}>
            <RotateCcw size={13} aria-hidden /> Use these arguments
          </button>
        )}
        {runs.length > 1 && (
          <select
            className="input run-choice"
            aria-label="Which run to show"
            value={run.id}
            onChange={({ target }) => onChoose(Number(target.value))}
          >
            {runs.map((candidate, index) => (
              <option key={candidate.id} value={candidate.id}>
                {index === 0 ? 'Newest' : formatTime(candidate.startedAt)}: {statuses[candidate.status].label}
              </option>
            ))}
          </select>
        )}
      </span>
    </header>
  )
}
