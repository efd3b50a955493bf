/** In which forms the large reply comes. */
export const variants = ['plain', 'gzip', 'chunked'] as const
export type Variant = (typeof variants)[number]
