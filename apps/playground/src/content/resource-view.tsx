import type { ResourceContents } from '@x/web'
import { CopyButton } from '../ui/copy-button.js'
import { formatBytes } from '../ui/format.js'
import { AudioContent } from './audio-content.js'
import { DownloadButton } from './download-button.js'
import { ImageContent } from './image-content.js'
import { TextContent } from './text-content.js'

/** A resource's content: text as text; bytes as an image or audio where they are one, else to download. */
export function ResourceView({ resource }: { resource: ResourceContents }) {
  return (
    <div className="resource" data-testid="resource">
      <p className="resource-head">
        <span className="mono resource-uri">{resource.uri}</span>
        {resource.mimeType && <span className="badge">{resource.mimeType}</span>}
        <CopyButton look="icon" label="Copy URI" text={() => resource.uri} />
      </p>
      {'text' in resource ? <TextContent text={resource.text} label="Resource text" /> : <Bytes resource={resource} />}
    </div>
  )
}

function Bytes({ resource }: { resource: ResourceContents & { blob: Uint8Array<ArrayBuffer> } }) {
  const { blob, mimeType = '', uri } = resource
  if (mimeType.startsWith('image/')) return <ImageContent data={blob} mimeType={mimeType} />
  if (mimeType.startsWith('audio/')) return <AudioContent data={blob} mimeType={mimeType} />
  return (
    <p className="row">
      {formatBytes(blob.byteLength)} of binary data
      <DownloadButton data={blob} mimeType={mimeType} name={uri} />
    </p>
  )
}
