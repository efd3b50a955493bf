/** A server's URL: to be clicked when it is a web page's, as text otherwise. It is never opened by itself. */
export function WebLink({ url }: { url: string }) {
  if (!isWebUrl(url)) return <span className="mono">{url}</span>
  return (
    <a className="mono" href={url} target="_blank" rel="noopener noreferrer">
      {url}
    </a>
  )
}

/** Whether a URL may be a link: `javascript:`, `data:` and `file:` may not. */
export function isWebUrl(url: string): boolean {
  return URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)
}
