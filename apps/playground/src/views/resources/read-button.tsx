import { BookOpen } from 'lucide-react'
import { latestRun } from '../../store/state.js'
import { useActions, usePlayground } from '../use-store.js'

export function ReadButton({ uri }: { uri: string }) {
  const run = usePlayground((state) => latestRun(state.runs, 'resource', uri))
  const { readResource, cancel } = useActions()
  return (
    <div className="row">
      <button
        type="button"
        className="button primary"
        disabled={run?.status === 'running'}
        onClick={() => void readResource(uri)}
      >
        <BookOpen size={15} aria-hidden /> Read resource
      </button>
      {run?.status === 'running' && (
        <button type="button" className="button danger" onClick={() => cancel(run.id)}>
          Cancel
        </button>
      )}
    </div>
  )
}
