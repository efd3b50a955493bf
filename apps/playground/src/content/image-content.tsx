import { useState } from 'react'
import { formatBytes } from '../ui/format.js'
import { DownloadButton } from './download-button.js'
import { useObjectUrl } from './use-object-url.js'

/** An image from bytes. In an `img`, an SVG's scripts don't run and nothing of it is fetched. */
export function ImageContent({ data, mimeType }: { data: Uint8Array<ArrayBuffer>; mimeType: string }) {
  const url = useObjectUrl(data, mimeType)
  const [size, setSize] = useState<string>()
  const [failed, setFailed] = useState(false)
  return (
    <figure className="media">
      {failed ? (
        <p className="field-problem">The browser can’t show these bytes as {mimeType}.</p>
      ) : (
        url && (
          <img
            src={url}
            alt={`Result of type ${mimeType}`}
            onLoad={({ currentTarget }) => setSize(`${currentTarget.naturalWidth} × ${currentTarget.naturalHeight}`)}
            onError={() => setFailed(true)}
          />
        )
      )}
      <figcaption>
        {size && `${size} · `}
        {formatBytes(data.byteLength)}
        <DownloadButton data={data} mimeType={mimeType} name="image" />
      </figcaption>
    </figure>
  )
}
