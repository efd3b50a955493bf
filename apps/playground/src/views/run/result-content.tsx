import { ContentBlockView } from '../../content/content-block.js'
import { ResourceView } from '../../content/resource-view.js'
import type { Run } from '../../store/state.js'

/** The blocks of a result, each shown as what it is. */
export function ResultContent({ run }: { run: Run }) {
  if (!run.result) return null
  if (run.kind === 'tool') {
    const { content, isError } = run.result
    return (
      <div className="run-stack">
        {isError && <p className="run-note bad">The tool ran, and reports a failure:</p>}
        {content.length === 0 && <p className="field-hint">The result has no content blocks.</p>}
        {content.map((block, index) => (
          <ContentBlockView key={index} block={block} position={index + 1} />
        ))}
      </div>
    )
  }
  if (run.kind === 'resource') {
    return (
      <div className="run-stack">
        {run.result.contents.length === 0 && <p className="field-hint">The resource has no contents.</p>}
        {run.result.contents.map((contents, index) => (
          <section key={index} className="block" aria-label={`${index + 1}. Contents`}>
            <header className="block-head">Contents</header>
            <ResourceView resource={contents} />
          </section>
        ))}
      </div>
    )
  }
  return (
    <div className="run-stack">
      {run.result.description && <p>{run.result.description}</p>}
      {run.result.messages.map((message, index) => (
        <section key={index} className="prompt-message" aria-label={`${index + 1}. Message, of the ${message.role}`}>
          <h3>{message.role}</h3>
          <ContentBlockView block={message.content} position={index + 1} />
        </section>
      ))}
    </div>
  )
}
