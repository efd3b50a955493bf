import type { Tool } from '@x/web'
import { JsonTree } from '../../json/json-tree.js'
import { Prose } from '../prose.js'
import { hintsOf } from './hints.js'
import { ToolForm } from './tool-form.js'

/** One tool: what the server says of it, and the form to call it. */
export function ToolView({ tool }: { tool: Tool }) {
  const hints = hintsOf(tool)
  return (
    <article className="tool" data-testid="tool" data-name={tool.name}>
      <header className="tool-head">
        <h2>{tool.title ?? tool.annotations?.title ?? tool.name}</h2>
        <code>{tool.name}</code>
        {tool.description && <Prose text={tool.description} />}
        {hints.length > 0 && (
          <ul className="row" aria-label="What the server says of this tool">
            {hints.map((hint) => (
              <li key={hint.label} className={`badge ${hint.tone}`} title={hint.explanation}>
                {hint.label}
              </li>
            ))}
          </ul>
        )}
        <Schemas tool={tool} />
      </header>
      <ToolForm tool={tool} />
    </article>
  )
}

function Schemas({ tool }: { tool: Tool }) {
  const schemas = [
    ['Input schema', tool.inputSchema],
    ['Output schema', tool.outputSchema],
    ['_meta', tool._meta],
  ] as const
  return schemas.map(
    ([label, schema]) =>
      schema && (
        <details key={label} className="tool-schema">
          <summary>{label}</summary>
          <JsonTree value={schema} label={label} />
        </details>
      ),
  )
}
