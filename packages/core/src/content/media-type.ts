/**
 * What bytes are by how they begin: the pattern, the type, and which declared types mean the same or a form of it.
 * After https://mimesniff.spec.whatwg.org/#matching-a-mime-type-pattern and the formats' own specifications.
 */
const signatures: [start: RegExp, type: string, alike: RegExp][] = [
  [/^\x89PNG\r\n/, 'image/png', /png/],
  [/^\xff\xd8\xff/, 'image/jpeg', /^image\/jpeg/],
  [/^GIF8[79]a/, 'image/gif', /gif/],
  [/^RIFF....WEBP/s, 'image/webp', /webp/],
  [/^....ftypavi[fs]/s, 'image/avif', /avif|hei[cf]/],
  [/^....ftyp(hei[cx]|mif1)/s, 'image/heic', /avif|hei[cf]/],
  // Cameras' own formats are built on it.
  [/^(II\*\0|MM\0\*)/, 'image/tiff', /tiff|dng|\/x-/],
  [/^%PDF-/, 'application/pdf', /pdf/],
  [/^RIFF....WAVE/s, 'audio/wav', /wav/],
  // Any sound may have such tags before it.
  [/^ID3\W/, 'audio/mpeg', /audio/],
  [/^OggS\0/, 'audio/ogg', /ogg|opus|vorbis|speex/],
  [/^fLaC/, 'audio/flac', /flac/],
  [/^....ftypM4[AB] /s, 'audio/mp4', /mp4|m4a|aac|alac/],
]

/** Too short to say that a declared type is wrong. */
const vague: typeof signatures = [
  [/^\xff[\xfb\xf3\xf2]/, 'audio/mpeg', /$^/],
  [/^\xff[\xf1\xf9]/, 'audio/aac', /$^/],
]

/** The type that such bytes have, where they show it. */
export function sniffType(bytes: Uint8Array): string | undefined {
  return find([...signatures, ...vague], bytes)?.[1]
}

/** The type that such bytes have in truth, where the declared one says something else. */
export function contradictedType(bytes: Uint8Array, declared: string): string | undefined {
  const [, type, alike] = find(signatures, bytes) ?? []
  return type && !alike!.test(declared.toLowerCase()) ? type : undefined
}

/** The media type that a server names, where it is one. */
export function mediaType(value: unknown): string | undefined {
  return typeof value === 'string' && /^[\w.+-]{1,100}\/[\w.+-]{1,100}\s*(;[ -~]{0,200})?$/.test(value)
    ? value
    : undefined
}

function find(table: typeof signatures, bytes: Uint8Array) {
  const start = String.fromCharCode(...bytes.subarray(0, 16))
  return table.find(([pattern]) => pattern.test(start))
}
