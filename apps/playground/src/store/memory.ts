// All that the page remembers: the theme and the last URL. Never a token, a header or a result.

/** A text that was remembered under `key`. */
export function recall(key: 'theme' | 'url'): string | undefined {
  // Reading `localStorage` throws where cookies are blocked.
  try {
    return localStorage.getItem(`playground.${key}`) ?? undefined
  } catch {
    return undefined
  }
}

/** Remembers `text`, or forgets with `undefined`. */
export function remember(key: 'theme' | 'url', text: string | undefined): void {
  try {
    if (text === undefined) localStorage.removeItem(`playground.${key}`)
    else localStorage.setItem(`playground.${key}`, text)
  } catch {
    // Nothing depends on it.
  }
}
