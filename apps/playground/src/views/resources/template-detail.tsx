import type { ResourceTemplate } from '@x/web'
import { Field } from '../../ui/field.js'
import { CompletedInput } from '../completed-input.js'
import { Prose } from '../prose.js'
import { useActions } from '../use-store.js'
import { ReadButton } from './read-button.js'
import { variablesOf } from './uri-template.js'

interface TemplateDetailProps {
  template: ResourceTemplate
  /** The template with its values filled in. */
  uri: string
  values: Readonly<Record<string, string>>
}

/** A family of resources: fill in the variables, and read one. */
export function TemplateDetail({ template, uri, values }: TemplateDetailProps) {
  const { editArgument } = useActions()
  const { uriTemplate, title, name, description, mimeType } = template
  return (
    <article className="detail">
      <h2>{title ?? name}</h2>
      <code className="resource-uri">{uriTemplate}</code>
      {description && <Prose text={description} />}
      {mimeType && <span className="badge">{mimeType}</span>}
      {variablesOf(uriTemplate).map((variable) => (
        <Field key={variable} label={variable}>
          {(control) => (
            <CompletedInput
              reference={{ type: 'ref/resource', uri: uriTemplate }}
              name={variable}
              values={values}
              control={control}
              onChange={(text) => editArgument(uriTemplate, variable, text)}
            />
          )}
        </Field>
      ))}
      <p className="field-hint">
        Reads <span className="mono">{uri}</span>
      </p>
      <ReadButton uri={uri} />
    </article>
  )
}
