import { lazy, Suspense } from 'react'
import './json-editor.css'

// The editor is larger than the rest of the page, and many never open it.
const CodeEditor = lazy(() => import('./code-editor.js'))

export interface JsonEditorProps {
  label: string
  text: string
  onChange: (text: string) => void
  problem?: string | undefined
}

/** Edits JSON text, with colours and marked errors. */
export function JsonEditor(props: JsonEditorProps) {
  return (
    <Suspense fallback={<p className="json-editor-loading">Opening the editor …</p>}>
      <CodeEditor {...props} />
    </Suspense>
  )
}
