import { Download } from 'lucide-react'
import { fileName } from './file-name.js'
import { useObjectUrl } from './use-object-url.js'

interface DownloadButtonProps {
  data: Uint8Array<ArrayBuffer>
  mimeType: string | undefined
  /** The file's name, or the URI that it comes from. */
  name: string
}

export function DownloadButton({ data, mimeType, name }: DownloadButtonProps) {
  // Never the server's own type: opened in a tab, its HTML would be a page of this origin.
  const url = useObjectUrl(data, 'application/octet-stream')
  return (
    <a className="button small" href={url} download={fileName(name, mimeType)}>
      <Download size={14} aria-hidden /> Download
    </a>
  )
}
