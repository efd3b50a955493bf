import type { Tool } from '@x/web'

interface Hint {
  label: string
  tone: 'good' | 'warn' | 'bad' | ''
  explanation: string
}

/** What a server claims of a tool, in words. Nothing is claimed where nothing was said. */
export function hintsOf({ annotations = {}, execution, outputSchema }: Tool): Hint[] {
  const { readOnlyHint, destructiveHint, idempotentHint, openWorldHint } = annotations
  const hints: (Hint | false | undefined)[] = [
    readOnlyHint && {
      label: 'read-only',
      tone: 'good',
      explanation: 'Changes nothing, the server says.',
    },
    readOnlyHint === false && { label: 'writes', tone: 'warn', explanation: 'Changes something, the server says.' },
    destructiveHint && {
      label: 'destructive',
      tone: 'bad',
      explanation: 'May delete or overwrite, the server says.',
    },
    destructiveHint === false && { label: 'not destructive', tone: 'good', explanation: 'Only adds, the server says.' },
    idempotentHint && {
      label: 'idempotent',
      tone: '',
      explanation: 'A second same call changes nothing more, the server says.',
    },
    openWorldHint && {
      label: 'open world',
      tone: '',
      explanation: 'Reaches things outside of the server, the server says.',
    },
    openWorldHint === false && {
      label: 'closed world',
      tone: '',
      explanation: 'Reaches nothing outside of the server, it says.',
    },
    outputSchema && { label: 'structured', tone: '', explanation: 'Has an output schema.' },
    execution?.taskSupport === 'required' && { label: 'task', tone: '', explanation: 'Runs as a task only.' },
  ]
  return hints.filter((hint): hint is Hint => typeof hint === 'object')
}
