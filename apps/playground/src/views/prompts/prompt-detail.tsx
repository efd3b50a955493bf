import type { Prompt } from '@x/web'
import { MessageSquareText } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { latestRun } from '../../store/state.js'
import { Field } from '../../ui/field.js'
import { CompletedInput } from '../completed-input.js'
import { Prose } from '../prose.js'
import { useActions, usePlayground } from '../use-store.js'

/** One prompt and its arguments. */
export function PromptDetail({ prompt }: { prompt: Prompt }) {
  const values = usePlayground((state) => state.texts[prompt.name]) ?? {}
  const run = usePlayground((state) => latestRun(state.runs, 'prompt', prompt.name))
  const { editArgument, getPrompt, cancel } = useActions()
  const [attempted, setAttempted] = useState(false)
  const running = run?.status === 'running'
  const missing = (prompt.arguments ?? []).filter((argument) => argument.required && !values[argument.name])
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setAttempted(true)
    if (missing.length === 0) void getPrompt(prompt.name, values)
  }
  return (
    <form className="detail" noValidate onSubmit={submit}>
      <h2>{prompt.title ?? prompt.name}</h2>
      <code>{prompt.name}</code>
      {prompt.description && <Prose text={prompt.description} />}
      {(prompt.arguments ?? []).map((argument) => (
        <Field
          key={argument.name}
          label={`${argument.title ?? argument.name}${argument.required ? ' (required)' : ''}`}
          hint={argument.description}
          problem={attempted && missing.includes(argument) ? 'Required.' : undefined}
        >
          {(control) => (
            <CompletedInput
              reference={{ type: 'ref/prompt', name: prompt.name }}
              name={argument.name}
              values={values}
              control={control}
              onChange={(text) => editArgument(prompt.name, argument.name, text)}
            />
          )}
        </Field>
      ))}
      <div className="row">
        <button type="submit" className="button primary" disabled={running}>
          <MessageSquareText size={15} aria-hidden /> Get prompt
        </button>
        {running && (
          <button type="button" className="button danger" onClick={() => cancel(run.id)}>
            Cancel
          </button>
        )}
      </div>
    </form>
  )
}
