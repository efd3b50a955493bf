import { JsonTree } from '../../json/json-tree.js'
import type { Run } from '../../store/state.js'

export function StructuredView({ run }: { run: Run }) {
  if (run.kind !== 'tool' || run.result?.structuredContent === undefined) return null
  return <JsonTree value={run.result.structuredContent} label="Structured content" />
}
