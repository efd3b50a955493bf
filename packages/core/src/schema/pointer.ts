/** A JSON Pointer one step longer. */
export const step = (path: string, key: string | number): string =>
  `${path}/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`

/** The steps of a JSON Pointer as a URI's fragment has it; undefined where it is none. */
export function stepsOf(fragment: string): string[] | undefined {
  if (fragment === '') return []
  if (!fragment.startsWith('/')) return undefined
  try {
    return decodeURIComponent(fragment)
      .slice(1)
      .split('/')
      .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
  } catch {
    return undefined
  }
}
