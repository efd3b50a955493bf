import { JsonTree } from '../../json/json-tree.js'
import type { Run } from '../../store/state.js'

/** The result as the client hands it out, and what was sent for it. */
export function RawView({ run }: { run: Run }) {
  return (
    <div className="run-stack">
      <p className="field-hint">As an app gets it: binary data are bytes instead of base64.</p>
      <JsonTree value={run.result} label="Raw result" />
      {'args' in run && (
        <>
          <h3>Arguments</h3>
          <JsonTree value={run.args} label="Arguments that were sent" />
        </>
      )}
    </div>
  )
}
