import { expect } from 'vitest'

/** A line in brackets that says what was left out. */
export const label = (what: string): unknown => expect.stringMatching(new RegExp(`^\\[[^\\]]*${what}[^\\]]*\\]$`))
