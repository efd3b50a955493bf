const extensions: Record<string, string> = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/gif': 'gif',
  'image/webp': 'webp',
  'image/svg+xml': 'svg',
  'audio/wav': 'wav',
  'audio/mpeg': 'mp3',
  'audio/ogg': 'ogg',
  'application/json': 'json',
  'application/pdf': 'pdf',
  'text/plain': 'txt',
  'text/html': 'html',
  'text/markdown': 'md',
}

/** A name for a download, from a resource's URI or a word, with an extension. */
export function fileName(source: string, mimeType: string | undefined): string {
  const last = source.split(/[?#]/)[0]?.split('/').filter(Boolean).at(-1) ?? ''
  const name = last.replace(/[^\w.-]+/g, '-').replace(/^[.-]+|[.-]+$/g, '') || 'download'
  if (/\.\w{1,8}$/.test(name)) return name
  return `${name}.${extensions[mimeType?.split(';')[0]?.trim().toLowerCase() ?? ''] ?? 'bin'}`
}
