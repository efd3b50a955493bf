import type { JsonObject, Tool } from '@x/web'
import { useEffect, useMemo, useRef, useState } from 'react'
import { needsJsonBox } from '../../form/drawable.js'
import { FormBoundary } from '../../form/form-boundary.js'
import { toFormSchema } from '../../form/form-schema.js'
import { SchemaForm } from '../../form/schema-form.js'
import { findProblems } from '../../form/validate.js'
import { JsonEditor } from '../../json/json-editor.js'
import { emptyDraft } from '../../store/drafts.js'
import { latestRun } from '../../store/state.js'
import { Segments } from '../../ui/segments.js'
import { useActions, usePlayground } from '../use-store.js'
import { CallBar } from './call-bar.js'

const modes = [
  { value: 'form', label: 'Form' },
  { value: 'json', label: 'JSON' },
] as const

/** The arguments of a tool, as a form or as JSON, and the call. */
export function ToolForm({ tool }: { tool: Tool }) {
  const draft = usePlayground((state) => state.drafts[tool.name]) ?? emptyDraft
  const running = usePlayground((state) => latestRun(state.runs, 'tool', tool.name)?.status === 'running')
  const { editArgs, editText, editMode, callTool } = useActions()
  // Problems are shown from the first attempt on: an empty form isn't wrong yet.
  const [attempted, setAttempted] = useState(false)
  const [unreadable, setUnreadable] = useState(false)
  const form = useRef<HTMLDivElement>(null)
  const args = useMemo(() => plain(draft.args), [draft.args])
  const problems = useMemo(() => findProblems(tool.inputSchema, args), [tool.inputSchema, args])
  const blocked = draft.problem !== undefined || unreadable

  function call(force: boolean) {
    if (running) return
    setAttempted(true)
    if (blocked || (problems.length > 0 && !force)) {
      // After the problems are drawn.
      requestAnimationFrame(() => form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus())
      return
    }
    setAttempted(false)
    void callTool(tool.name, args)
  }

  useCallShortcut(() => call(false))

  const editor = (
    <JsonEditor
      label={`Arguments of ${tool.name} as JSON`}
      text={draft.text}
      problem={draft.problem}
      onChange={(text) => editText(tool.name, text)}
    />
  )
  return (
    <section className="tool-form" aria-label="Arguments">
      <div className="tool-form-head">
        <h3>Arguments</h3>
        <Segments
          label="How to enter the arguments"
          options={modes}
          value={draft.mode}
          onChange={(mode) => draft.problem === undefined && editMode(tool.name, mode)}
        />
      </div>
      <div ref={form}>
        {draft.mode === 'json' || takesAnything(tool.inputSchema) ? (
          editor
        ) : takesNothing(tool.inputSchema) ? (
          <p className="field-hint">This tool takes no arguments.</p>
        ) : (
          <FormBoundary
            fallback={
              <>
                <p className="field-hint">No form can be drawn from this input schema. Write the arguments as JSON.</p>
                {editor}
              </>
            }
          >
            <SchemaForm
              name={`arg-${tool.name}`}
              schema={tool.inputSchema}
              value={draft.args}
              problems={attempted ? problems : []}
              onChange={(next) => editArgs(tool.name, next)}
              onUnreadable={setUnreadable}
            />
          </FormBoundary>
        )}
      </div>
      {draft.problem && (
        <p className="field-problem" role="alert">
          {draft.problem} Correct it to call the tool or to go back to the form.
        </p>
      )}
      <CallBar
        tool={tool.name}
        problems={attempted ? problems : []}
        unreadable={attempted && unreadable}
        showPaths={draft.mode === 'json'}
        onCall={call}
      />
    </section>
  )
}

/** Arguments as they are sent: keys that were emptied are left out. */
function plain(args: JsonObject): JsonObject {
  return JSON.parse(JSON.stringify(args)) as JsonObject
}

function takesNothing(schema: JsonObject): boolean {
  const { properties = {}, type, additionalProperties = false, ...others } = schema
  const more = ['patternProperties', 'anyOf', 'oneOf', 'allOf', '$ref'].some((keyword) => keyword in others)
  return (
    type === 'object' && Object.keys(properties as JsonObject).length === 0 && additionalProperties === false && !more
  )
}

/** Whether a schema names no argument, but takes some: there is nothing to draw a form from. */
function takesAnything(schema: JsonObject): boolean {
  const indirect = ['$ref', 'allOf', 'if'].some((keyword) => keyword in schema)
  return !indirect && !takesNothing(schema) && needsJsonBox(toFormSchema(schema))
}

/** Ctrl+Enter, and Cmd+Enter on a Mac, from anywhere on the page but a dialog. */
function useCallShortcut(call: () => void) {
  const latest = useRef(call)
  useEffect(() => {
    latest.current = call
  })
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return
      if (document.querySelector('[role="dialog"]')) return
      event.preventDefault()
      latest.current()
    }
    addEventListener('keydown', onKeyDown)
    return () => removeEventListener('keydown', onKeyDown)
  }, [])
}
