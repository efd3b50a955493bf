/** A line that has ended. */
export interface Line {
  /** Its bytes without the line end; of one that was too long, the first. */
  bytes: Buffer
  /** Of one that was too long: its last bytes. */
  tail?: Buffer
}

export interface LineSplitter {
  /** The lines that end in this chunk. */
  push(chunk: Buffer): Generator<Line>
  /** What came after the last line end, if anything did. */
  rest(): Line | undefined
}

/** Bytes that are kept of a line's beginning, and of its end, when it is too long. */
const keptBytes = 4 * 1024
const lineFeed = 0x0a

/**
 * Splits a stream into lines, of which none takes more memory than `maxBytes`.
 *
 * @param onTooLong - Told of a line as soon as it is too long, with its beginning: its end may never come.
 */
export function createLineSplitter(maxBytes: number, onTooLong = (_head: Buffer) => {}): LineSplitter {
  // One buffer that grows: a server that sends byte by byte would else cost an object for each.
  let buffer = Buffer.alloc(0)
  let length = 0
  let tail: Buffer | undefined

  function take(part: Buffer): void {
    if (tail) {
      tail = Buffer.concat([tail, part.subarray(-keptBytes)]).subarray(-keptBytes)
      return
    }
    const wanted = length + part.length
    if (wanted > maxBytes) {
      append(part.subarray(0, maxBytes - length))
      tail = Buffer.from(part.subarray(-keptBytes))
      buffer = Buffer.from(buffer.subarray(0, Math.min(length, keptBytes)))
      length = buffer.length
      onTooLong(buffer)
    } else append(part)
  }

  function append(part: Buffer): void {
    const wanted = length + part.length
    if (wanted > buffer.length) {
      const larger = Buffer.alloc(Math.min(Math.max(wanted, buffer.length * 2, 1024), maxBytes))
      buffer.copy(larger, 0, 0, length)
      buffer = larger
    }
    part.copy(buffer, length)
    length = wanted
  }

  function end(): Line {
    const line = { bytes: Buffer.from(buffer.subarray(0, length)), ...(tail && { tail }) }
    // A large one is let go; the memory of small ones serves the next.
    if (buffer.length > 64 * 1024) buffer = Buffer.alloc(0)
    length = 0
    tail = undefined
    return line
  }

  return {
    *push(chunk) {
      let from = 0
      for (let at = chunk.indexOf(lineFeed); at >= 0; at = chunk.indexOf(lineFeed, from)) {
        take(chunk.subarray(from, at))
        from = at + 1
        yield end()
      }
      take(chunk.subarray(from))
    },
    rest: () => (length > 0 || tail ? end() : undefined),
  }
}
