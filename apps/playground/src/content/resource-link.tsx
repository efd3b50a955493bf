import type { ContentBlock } from '@x/web'
import { CopyButton } from '../ui/copy-button.js'
import { formatBytes } from '../ui/format.js'
import { WebLink } from './web-link.js'

/** A pointer to a resource. Nothing is fetched or opened until a person does it. */
export function ResourceLink({ link }: { link: Extract<ContentBlock, { type: 'resource_link' }> }) {
  return (
    <div className="resource">
      <p>
        <strong>{link.title ?? link.name}</strong>
        {link.description && ` — ${link.description}`}
      </p>
      <p className="resource-head">
        <span className="resource-uri">
          <WebLink url={link.uri} />
        </span>
        {link.mimeType && <span className="badge">{link.mimeType}</span>}
        {link.size !== undefined && <span className="badge">{formatBytes(link.size)}</span>}
        <CopyButton look="icon" label="Copy URI" text={() => link.uri} />
      </p>
    </div>
  )
}
