import { type FormEvent, useId } from 'react'
import { readBytes } from '../../store/settings.js'
import { Field } from '../../ui/field.js'
import { formatBytes } from '../../ui/format.js'
import { Segments } from '../../ui/segments.js'
import { useActions, usePlayground } from '../use-store.js'
import { Credentials } from './credentials.js'

const authOptions = [
  { value: 'none', label: 'None' },
  { value: 'bearer', label: 'Bearer token' },
  { value: 'api-key', label: 'API key' },
] as const

export function ConnectForm() {
  const settings = usePlayground((state) => state.settings)
  const problems = usePlayground((state) => state.problems)
  const phase = usePlayground((state) => state.connection.phase)
  const { edit, connect, disconnect } = useActions()
  const authTitle = useId()
  const connecting = phase === 'connecting'
  const submit = (event: FormEvent) => {
    event.preventDefault()
    void connect()
  }
  return (
    <form className="card connect-form" data-testid="connect-form" data-status={phase} noValidate onSubmit={submit}>
      <div className="connect-url">
        <Field label="Server URL" problem={problems.url}>
          {(control) => (
            <input
              {...control}
              className="input mono"
              type="url"
              inputMode="url"
              autoComplete="url"
              spellCheck={false}
              placeholder="https://example.com/mcp"
              value={settings.url}
              onChange={({ target }) => edit({ url: target.value })}
            />
          )}
        </Field>
        {connecting ? (
          <button type="button" className="button" onClick={disconnect}>
            <span className="spinner" aria-hidden="true" /> Cancel
          </button>
        ) : (
          <button type="submit" className="button primary">
            Connect
          </button>
        )}
      </div>
      <p className="visually-hidden" role="status">
        {connecting ? 'Connecting' : ''}
      </p>
      <div className="field">
        <span className="field-label" id={authTitle}>
          Authorization
        </span>
        <Segments
          labelledBy={authTitle}
          options={authOptions}
          value={settings.auth}
          onChange={(auth) => edit({ auth })}
        />
      </div>
      <Credentials />
      <details className="connect-more" open={problems.maxResponseBytes !== undefined || undefined}>
        <summary>Limits</summary>
        <Field
          label="Largest response (maxResponseBytes)"
          hint={limitHint(settings.maxResponseBytes)}
          problem={problems.maxResponseBytes}
        >
          {(control) => (
            <input
              {...control}
              className="input"
              inputMode="text"
              autoComplete="off"
              placeholder="33554432"
              value={settings.maxResponseBytes}
              onChange={({ target }) => edit({ maxResponseBytes: target.value })}
            />
          )}
        </Field>
      </details>
    </form>
  )
}

function limitHint(text: string): string {
  const bytes = readBytes(text)
  if (bytes === undefined)
    return 'In bytes, or as 1 MB or 512 KiB. A longer response is cut while it streams. Default: 32 MiB.'
  return bytes === 'invalid'
    ? 'In bytes, or as 1 MB or 512 KiB.'
    : `${bytes.toLocaleString('en')} bytes (${formatBytes(bytes)}). A longer response is cut while it streams.`
}
