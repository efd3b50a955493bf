/** What newer engines bring along, many times faster than the way by strings. */
interface NativeBase64 {
  fromBase64?(text: string): Uint8Array<ArrayBuffer>
  prototype: { toBase64?(this: Uint8Array): string }
}
const native = Uint8Array as unknown as NativeBase64

/** Base64 (also URL-safe, wrapped, unpadded) as bytes; undefined when it is none. */
export function decodeBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  const standard = text.replace(/-/g, '+').replace(/_/g, '/')
  try {
    if (native.fromBase64) return native.fromBase64(standard)
    const binary = atob(standard)
    const bytes = new Uint8Array(binary.length)
    for (let index = 0; index < binary.length; index++) bytes[index] = binary.charCodeAt(index)
    return bytes
  } catch {
    return undefined
  }
}

/** Bytes as base64. */
export function encodeBase64(bytes: Uint8Array): string {
  const { toBase64 } = native.prototype
  if (toBase64) return toBase64.call(bytes)
  let binary = ''
  // In pieces: a call with a million arguments overflows the stack.
  for (let start = 0; start < bytes.length; start += 0x8000) {
    binary += String.fromCharCode(...bytes.subarray(start, start + 0x8000))
  }
  return btoa(binary)
}
