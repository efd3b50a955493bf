import type { ErrorData, ErrorDetails } from '@x/web'
import { CircleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { JsonTree } from '../../json/json-tree.js'
import { CopyButton } from '../../ui/copy-button.js'
import { adviceFor } from './advice.js'
import { AttemptTable } from './attempt-table.js'
import './error-card.css'

interface ErrorCardProps {
  error: ErrorData
  /** What could not be done. */
  title?: string
  /** More advice than the error alone allows. */
  children?: ReactNode
}

/** An error with its code, what it says, what to do about it, and all that is known. */
export function ErrorCard({ error, title, children }: ErrorCardProps) {
  const advice = adviceFor(error, location.href)
  const attempts = error.data?.attempts ?? []
  const facts = factsOf(error.data ?? {})
  return (
    <section className="error-card" role="alert" data-testid="error-card" data-code={error.code ?? 'none'}>
      <div className="error-head">
        <CircleAlert size={18} aria-hidden />
        <h2>{title ? `${title}: ${lowerFirst(advice.title)}` : advice.title}</h2>
        {error.code && <code className="badge bad">{error.code}</code>}
      </div>
      <p className="error-message">{error.message}</p>
      <ul className="error-steps">
        {advice.steps.map((step) => (
          <li key={step}>{step}</li>
        ))}
      </ul>
      {children}
      {attempts.length > 0 && <AttemptTable attempts={attempts} />}
      {facts.length > 0 && (
        <dl className="facts">
          {facts.map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
      )}
      {error.data?.rpcData !== undefined && <JsonTree value={error.data.rpcData} label="Data of the server’s error" />}
      <Causes cause={error.cause} />
      <div className="error-actions">
        <CopyButton label="Copy error details" text={() => JSON.stringify(error, null, 2)} look="button" />
      </div>
    </section>
  )
}

function Causes({ cause }: { cause: ErrorData | undefined }) {
  if (!cause) return null
  return (
    <p className="error-cause">
      Caused by <span className="mono">{cause.code ?? cause.name}</span>: {cause.message}
      <Causes cause={cause.cause} />
    </p>
  )
}

const names: { [Key in keyof ErrorDetails]: string } = {
  server: 'Server',
  method: 'Method',
  tool: 'Tool',
  outcome: 'Did the tool run',
  status: 'HTTP status',
  reason: 'Reason',
  missing: 'Missing header',
  key: 'Setting',
  rpcCode: 'JSON-RPC code',
  limit: 'Limit',
  phase: 'Phase',
  step: 'Step',
}
const outcomes = { 'not-run': 'no', ran: 'yes', unknown: 'not known' } as const

function factsOf(data: ErrorDetails): [string, string][] {
  return Object.entries(names).flatMap(([key, name]) => {
    const value = data[key as keyof ErrorDetails]
    if (value === undefined) return []
    return [[name, key === 'outcome' && data.outcome ? outcomes[data.outcome] : String(value)] as [string, string]]
  })
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1)
}
