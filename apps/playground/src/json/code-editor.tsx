import { defaultKeymap, history, historyKeymap } from '@codemirror/commands'
import { json, jsonParseLinter } from '@codemirror/lang-json'
import { bracketMatching, foldGutter, indentOnInput, syntaxTree } from '@codemirror/language'
import { type Diagnostic, linter } from '@codemirror/lint'
import { EditorState } from '@codemirror/state'
import { EditorView, keymap, lineNumbers } from '@codemirror/view'
import { useEffect, useRef } from 'react'
import { highlighting, theme } from './code-theme.js'
import type { JsonEditorProps } from './json-editor.js'
import { isInexactInteger } from './numbers.js'
import { replaceSelection } from './replace-selection.js'

export default function CodeEditor({ label, text, onChange, problem }: JsonEditorProps) {
  const host = useRef<HTMLDivElement>(null)
  const view = useRef<EditorView>(null)
  const latest = useRef({ text, label, onChange })
  latest.current = { text, label, onChange }

  useEffect(() => {
    if (!host.current) return
    // In a shadow root the editor's styles are constructed sheets; in the document they would be style elements, which
    // the page's policy refuses.
    const root = host.current.shadowRoot ?? host.current.attachShadow({ mode: 'open' })
    const editor = new EditorView({
      parent: root,
      root,
      state: EditorState.create({
        doc: latest.current.text,
        extensions: [
          lineNumbers(),
          foldGutter(),
          history(),
          indentOnInput(),
          bracketMatching(),
          json(),
          linter((current) => [...syntaxErrors(current), ...inexactIntegers(current)], { delay: 150 }),
          highlighting,
          theme,
          EditorView.lineWrapping,
          EditorView.contentAttributes.of({ 'aria-label': latest.current.label }),
          replaceSelection,
          // Tab is left to move the focus. Ctrl/Cmd+Enter is the page's.
          keymap.of([...defaultKeymap.filter((binding) => binding.key !== 'Mod-Enter'), ...historyKeymap]),
          EditorView.updateListener.of((update) => {
            if (update.docChanged) latest.current.onChange(update.state.doc.toString())
          }),
        ],
      }),
    })
    view.current = editor
    return () => editor.destroy()
  }, [])

  useEffect(() => {
    const editor = view.current
    if (!editor || editor.state.doc.toString() === text) return
    editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: text } })
  }, [text])

  return <div ref={host} className="json-editor" data-invalid={problem !== undefined} />
}

const parseErrors = jsonParseLinter()

// Nothing at all is not JSON, but means no arguments here.
function syntaxErrors(view: EditorView): readonly Diagnostic[] {
  return view.state.doc.toString().trim() ? parseErrors(view) : []
}

/** Marks integers that JSON holds but a JavaScript number doesn't: they would be sent as another number. */
function inexactIntegers(view: EditorView): Diagnostic[] {
  const found: Diagnostic[] = []
  syntaxTree(view.state).iterate({
    enter: ({ name, from, to }) => {
      if (name !== 'Number') return
      const text = view.state.sliceDoc(from, to)
      if (!isInexactInteger(text)) return
      const message = `A JavaScript number can't hold this exactly: ${Number(text)} would be sent.`
      found.push({ from, to, severity: 'warning', message })
    },
  })
  return found
}
