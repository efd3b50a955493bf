import type { Resource } from '@x/web'
import { WebLink } from '../../content/web-link.js'
import { formatBytes } from '../../ui/format.js'
import { Prose } from '../prose.js'
import { ReadButton } from './read-button.js'

export function ResourceDetail({ resource }: { resource: Resource }) {
  const { title, name, description, uri, mimeType, size, annotations } = resource
  return (
    <article className="detail">
      <h2>{title ?? name}</h2>
      <p className="resource-uri">
        <WebLink url={uri} />
      </p>
      {description && <Prose text={description} />}
      <div className="row">
        {mimeType && <span className="badge">{mimeType}</span>}
        {size !== undefined && <span className="badge">{formatBytes(size)}</span>}
        {annotations?.audience && <span className="badge">for {annotations.audience.join(' and ')}</span>}
        {annotations?.priority !== undefined && <span className="badge">priority {annotations.priority}</span>}
      </div>
      <ReadButton uri={uri} />
    </article>
  )
}
