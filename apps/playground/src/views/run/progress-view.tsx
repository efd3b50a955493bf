import { Progress as Bar } from '@base-ui/react/progress'
import type { Progress } from '@x/web'
import { useEffect, useState } from 'react'
import type { Run } from '../../store/state.js'
import { formatDuration } from '../../ui/format.js'

/** The progress that a run reports: the newest as a bar, all of it as a list. */
export function ProgressView({ run }: { run: Run }) {
  const latest = run.progress.at(-1)
  const running = run.status === 'running'
  return (
    <section className="progress" aria-label="Progress" data-testid="progress">
      {running && (
        <Bar.Root
          className="progress-bar"
          value={latest?.total === undefined ? null : latest.progress}
          max={latest?.total ?? 100}
        >
          <Bar.Label className="progress-label">{latest?.message ?? 'Waiting for the server'}</Bar.Label>
          <span className="progress-value">
            {latest && toFraction(latest)} <Elapsed since={run.startedAt} />
          </span>
          <Bar.Track className="progress-track">
            <Bar.Indicator className="progress-indicator" />
          </Bar.Track>
        </Bar.Root>
      )}
      {run.progressCount > 0 && (
        <details open={running || undefined}>
          <summary>
            {run.progressCount === 1 ? '1 progress message' : `${run.progressCount} progress messages`}
            {run.progressCount > run.progress.length && `, the last ${run.progress.length} of them here`}
          </summary>
          <ol className="progress-log">
            {run.progress.map((entry, index) => (
              <li key={run.progressCount - run.progress.length + index}>
                <span className="progress-fraction">{toFraction(entry)}</span> {entry.message}
              </li>
            ))}
          </ol>
        </details>
      )}
    </section>
  )
}

function toFraction({ progress, total }: Progress): string {
  return total === undefined ? String(progress) : `${progress} / ${total}`
}

function Elapsed({ since }: { since: number }) {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1_000)
    return () => clearInterval(timer)
  }, [])
  const seconds = Math.floor((now - since) / 1_000)
  return seconds < 1 ? null : <span aria-hidden="true">· {formatDuration(seconds * 1_000)}</span>
}
