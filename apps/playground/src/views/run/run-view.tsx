import { Tabs } from '@base-ui/react/tabs'
import { Inbox } from 'lucide-react'
import { useState } from 'react'
import type { Run } from '../../store/state.js'
import { Empty } from '../../ui/empty.js'
import { ErrorCard } from '../errors/error-card.js'
import { usePlayground } from '../use-store.js'
import { Findings } from './findings.js'
import { ModelView } from './model-view.js'
import { ProgressView } from './progress-view.js'
import { RawView } from './raw-view.js'
import { ResultContent } from './result-content.js'
import './run.css'
import { RunHead } from './run-head.js'
import { StructuredView } from './structured-view.js'

interface RunViewProps {
  kind: Run['kind']
  subject: string
  empty: string
}

/** The newest run of a tool, resource or prompt, or an earlier one, and what came of it. */
export function RunView({ kind, subject, empty }: RunViewProps) {
  const all = usePlayground((state) => state.runs)
  const [chosen, setChosen] = useState<{ subject: string; id: number; newest: number }>()
  const runs = all.filter((run) => run.kind === kind && run.subject === subject)
  const newest = runs[0]
  if (!newest) {
    return (
      <Empty icon={<Inbox size={28} aria-hidden />} title="Nothing yet">
        {empty}
      </Empty>
    )
  }
  // A new run is what one wants to see, whatever was looked at before.
  const kept = chosen?.subject === subject && chosen.newest === newest.id ? chosen.id : newest.id
  const run = runs.find((candidate) => candidate.id === kept) ?? newest
  return (
    <article className="run" aria-label="Result" data-testid="result" data-status={run.status}>
      <RunHead run={run} runs={runs} onChoose={(id) => setChosen({ subject, id, newest: newest.id })} />
      {run.status === 'running' && <ProgressView run={run} />}
      {run.status === 'failed' && run.error && <ErrorCard error={run.error} />}
      {run.status === 'cancelled' && (
        <p className="run-note">Cancelled. The server was told to stop; a tool may have done part of its work.</p>
      )}
      {run.result && <RunResult key={run.id} run={run} />}
      {run.status !== 'running' && run.progressCount > 0 && <ProgressView run={run} />}
    </article>
  )
}

type View = 'content' | 'structured' | 'model' | 'raw'

function RunResult({ run }: { run: Run }) {
  const structured = run.kind === 'tool' ? run.result?.structuredContent : undefined
  const onlyStructured = run.kind === 'tool' && structured !== undefined && run.result?.content.length === 0
  const [view, setView] = useState<View>(onlyStructured ? 'structured' : 'content')
  const views: [View, string][] = [
    ['content', 'Content'],
    ...(structured === undefined ? [] : [['structured', 'Structured'] as [View, string]]),
    ...(run.kind === 'tool' ? [['model', 'Model view'] as [View, string]] : []),
    ['raw', 'Raw'],
  ]
  return (
    <>
      <Findings findings={run.result?.findings ?? []} />
      <Tabs.Root value={view} onValueChange={(value: View) => setView(value)}>
        <Tabs.List className="tabs run-tabs" aria-label="Ways to look at the result">
          {views.map(([value, label]) => (
            <Tabs.Tab key={value} className="tab" value={value}>
              {label}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel className="run-panel" value="content" tabIndex={-1}>
          <ResultContent run={run} />
        </Tabs.Panel>
        <Tabs.Panel className="run-panel" value="structured" tabIndex={-1}>
          <StructuredView run={run} />
        </Tabs.Panel>
        <Tabs.Panel className="run-panel" value="model" tabIndex={-1}>
          {run.kind === 'tool' && run.result && <ModelView tool={run.subject} result={run.result} />}
        </Tabs.Panel>
        <Tabs.Panel className="run-panel" value="raw" tabIndex={-1}>
          <RawView run={run} />
        </Tabs.Panel>
      </Tabs.Root>
    </>
  )
}
