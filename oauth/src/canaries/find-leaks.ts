import type { Secret } from '../server/control.js'

/** Everything of one sort that could be read by somebody who is not meant to. */
export type Surfaces = Record<SurfaceName, string[]>

export const surfaceNames = [
  'console',
  'events',
  'errors',
  'messages to the page',
  'storage',
  'URLs',
  'authorization URLs',
  'callback URLs',
] as const
export type SurfaceName = (typeof surfaceNames)[number]

export const emptySurfaces = () => Object.fromEntries(surfaceNames.map((name) => [name, []])) as unknown as Surfaces

/** RFC 6749 4.1: the person's browser carries them; nothing else may. */
const carried: Partial<Record<Secret['kind'] | 'key', SurfaceName[]>> = {
  state: ['authorization URLs', 'callback URLs'],
  code: ['callback URLs'],
}

export interface Canary {
  kind: Secret['kind'] | 'key'
  value: string
}

/** Where a secret is that does not belong there; in words that don't repeat it. */
export function findLeaks(canaries: readonly Canary[], surfaces: Surfaces): string[] {
  const leaks = surfaceNames.flatMap((name) =>
    canaries
      .filter(({ kind }) => !carried[kind]?.includes(name))
      .filter(({ value }) => surfaces[name].some((text) => formsOf(value).some((form) => text.includes(form))))
      .map(({ kind }) => `${kind} in ${name}`),
  )
  return [...new Set(leaks)]
}

/** As it is, in a URL, in JSON, and as the end of `Basic` credentials: base64 of three places in the stream. */
function formsOf(value: string): string[] {
  const inBase64 = [0, 1, 2].map((before) => {
    const bytes = new TextEncoder().encode('_'.repeat(before) + value)
    // What the bytes before and after share a character with is left out.
    return btoa(String.fromCharCode(...bytes)).slice(before === 0 ? 0 : 4, -4)
  })
  return [value, encodeURIComponent(value), JSON.stringify(value).slice(1, -1), ...inBase64]
}
