/**
 * Takes the gateway's token, which `npm start` prints in the page's fragment, out of the address bar: there it would be
 * seen over a shoulder, copied with the address and kept as a bookmark.
 */
export function takeToken({ location, history }: Pick<Window, 'location' | 'history'>): string | undefined {
  const token = new URLSearchParams(location.hash.slice(1)).get('token')
  if (token === null) return undefined
  history.replaceState(history.state, '', location.pathname + location.search)
  return token || undefined
}
