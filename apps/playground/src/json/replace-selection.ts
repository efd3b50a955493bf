import { EditorView } from '@codemirror/view'

/**
 * Typing over a selection, done by the editor. Done by Chromium it copies the colours of the text that it replaces into
 * a style attribute, which the page's policy refuses and reports.
 */
export const replaceSelection = EditorView.domEventHandlers({
  beforeinput: (event, view) => {
    const range = selectedRange(view)
    if (event.inputType !== 'insertText' || event.data === null || !range || range.collapsed || view.composing)
      return false
    const from = view.posAtDOM(range.startContainer, range.startOffset)
    const to = view.posAtDOM(range.endContainer, range.endOffset)
    const selection = { anchor: from + event.data.length }
    view.dispatch({ changes: { from, to, insert: event.data }, selection, userEvent: 'input.type' })
    event.preventDefault()
    return true
  },
})

// Not the event's own target ranges, which are empty in a shadow root; and not the editor's selection, which is a
// moment behind the document's.
function selectedRange(view: EditorView): StaticRange | undefined {
  return getSelection()?.getComposedRanges?.({ shadowRoots: [view.root as ShadowRoot] })[0]
}
