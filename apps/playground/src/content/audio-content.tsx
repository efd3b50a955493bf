import { useState } from 'react'
import { formatBytes } from '../ui/format.js'
import { DownloadButton } from './download-button.js'
import { useObjectUrl } from './use-object-url.js'

/** A player for audio from bytes. */
export function AudioContent({ data, mimeType }: { data: Uint8Array<ArrayBuffer>; mimeType: string }) {
  const url = useObjectUrl(data, mimeType)
  const [failed, setFailed] = useState(false)
  return (
    <figure className="media">
      {failed && <p className="field-problem">The browser can’t play these bytes as {mimeType}.</p>}
      {url && !failed && (
        // biome-ignore lint/a11y/useMediaCaption: a server sends no captions.
        <audio controls src={url} aria-label={`Audio of type ${mimeType}`} onError={() => setFailed(true)} />
      )}
      <figcaption>
        {formatBytes(data.byteLength)}
        <DownloadButton data={data} mimeType={mimeType} name="audio" />
      </figcaption>
    </figure>
  )
}
