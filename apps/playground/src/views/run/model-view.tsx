import { type CallToolResult, type ErrorData, type Json, toModelOutput } from '@x/web'
import { useMemo } from 'react'
import { TextContent } from '../../content/text-content.js'
import { JsonTree } from '../../json/json-tree.js'
import { toErrorData } from '../../store/caught.js'

interface Shown {
  output?: string | Json[]
  error?: ErrorData
  losses: { block: number; reason: string }[]
}

/** Exactly what a chat app would hand to its model. */
export function ModelView({ tool, result }: { tool: string; result: CallToolResult }) {
  const { output, error, losses } = useMemo(() => toShown(tool, result), [tool, result])
  return (
    <div className="run-stack" data-testid="model-view">
      {error && (
        <>
          <p className="field-hint">
            The tool reports an error, so <code>toModelOutput</code> throws <code>{error.code ?? error.name}</code> with
            this message, which is what a model is told:
          </p>
          <section className="block" aria-label="Error for the model">
            <header className="block-head">Error</header>
            <TextContent text={error.message} label="Error" />
          </section>
        </>
      )}
      {typeof output === 'string' && (
        <>
          <p className="field-hint">The model is given one text:</p>
          <section className="block" aria-label="Text for the model">
            <header className="block-head">Text</header>
            {output === '' ? <p className="field-hint">It is empty.</p> : <TextContent text={output} label="Text" />}
          </section>
        </>
      )}
      {Array.isArray(output) && (
        <>
          <p className="field-hint">
            The model is given {output.length === 1 ? 'one part' : `${output.length} parts`}:
          </p>
          <JsonTree value={output} label="Parts for the model" />
        </>
      )}
      {losses.length > 0 && (
        <>
          <h3>Not shown to the model</h3>
          <ul className="model-losses">
            {losses.map((loss) => (
              <li key={`${loss.block} ${loss.reason}`}>
                Block {loss.block + 1}: {loss.reason}
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  )
}

function toShown(tool: string, result: CallToolResult): Shown {
  const losses: Shown['losses'] = []
  try {
    return { output: toModelOutput(result, { tool, onLoss: (loss) => losses.push(loss) }), losses }
  } catch (error) {
    return { error: toErrorData(error), losses }
  }
}
