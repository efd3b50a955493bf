import { useEffect, useState } from 'react'

/** A URL of this page for bytes, for as long as the view is there. */
export function useObjectUrl(data: Uint8Array<ArrayBuffer>, mimeType: string): string | undefined {
  const [url, setUrl] = useState<string>()
  useEffect(() => {
    const created = URL.createObjectURL(new Blob([data], { type: mimeType }))
    setUrl(created)
    return () => URL.revokeObjectURL(created)
  }, [data, mimeType])
  return url
}
