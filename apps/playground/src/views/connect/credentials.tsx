import { Field } from '../../ui/field.js'
import { useActions, usePlayground } from '../use-store.js'

/** What the chosen way of authorization needs. It stays in this page's memory. */
export function Credentials() {
  const settings = usePlayground((state) => state.settings)
  const problems = usePlayground((state) => state.problems)
  const { edit } = useActions()
  // Not `password` alone: browsers offer to save what is typed there, and to fill in what isn't meant.
  const secret = { className: 'input mono', type: 'password', autoComplete: 'off', spellCheck: false } as const
  if (settings.auth === 'bearer') {
    return (
      <Field label="Token" hint="Sent as “Authorization: Bearer …”. It is not stored." problem={problems.token}>
        {(control) => (
          <input
            {...control}
            {...secret}
            value={settings.token}
            onChange={({ target }) => edit({ token: target.value })}
          />
        )}
      </Field>
    )
  }
  if (settings.auth === 'api-key') {
    return (
      <div className="connect-key">
        <Field label="Header" problem={problems.header}>
          {(control) => (
            <input
              {...control}
              className="input mono"
              autoComplete="off"
              spellCheck={false}
              value={settings.header}
              onChange={({ target }) => edit({ header: target.value })}
            />
          )}
        </Field>
        <Field label="Key" hint="It is not stored." problem={problems.headerValue}>
          {(control) => (
            <input
              {...control}
              {...secret}
              value={settings.headerValue}
              onChange={({ target }) => edit({ headerValue: target.value })}
            />
          )}
        </Field>
      </div>
    )
  }
  return null
}
