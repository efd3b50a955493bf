import type { Finding } from '@x/web'
import { TriangleAlert } from 'lucide-react'

/** What the client mended, left out or stripped. */
export function Findings({ findings }: { findings: readonly Finding[] }) {
  if (findings.length === 0) return null
  return (
    <section className="findings" aria-label="Findings" data-testid="findings">
      <h3>
        <TriangleAlert size={15} aria-hidden /> {findings.length === 1 ? '1 finding' : `${findings.length} findings`}
      </h3>
      <ul>
        {findings.map((finding) => (
          <li key={finding.code + finding.path + finding.message}>
            <code>{finding.code}</code> {finding.message}
            {finding.path && <code className="findings-path">{finding.path}</code>}
          </li>
        ))}
      </ul>
    </section>
  )
}
