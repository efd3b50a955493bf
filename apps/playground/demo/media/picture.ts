import { crc32, deflateSync } from 'node:zlib'

export const SCENES = ['sunset', 'forest', 'night'] as const
export type Scene = (typeof SCENES)[number]

type Colour = readonly [red: number, green: number, blue: number]

interface Palette {
  skyTop: Colour
  skyBottom: Colour
  disc: Colour
  /** Far to near. */
  hills: readonly Colour[]
}

const PALETTES: Record<Scene, Palette> = {
  sunset: {
    skyTop: [58, 44, 110],
    skyBottom: [255, 154, 92],
    disc: [255, 236, 170],
    hills: [
      [158, 82, 120],
      [98, 52, 98],
      [44, 28, 64],
    ],
  },
  forest: {
    skyTop: [92, 170, 214],
    skyBottom: [228, 242, 236],
    disc: [255, 250, 224],
    hills: [
      [124, 176, 156],
      [66, 128, 96],
      [26, 72, 52],
    ],
  },
  night: {
    skyTop: [8, 12, 36],
    skyBottom: [48, 62, 116],
    disc: [240, 242, 252],
    hills: [
      [36, 46, 92],
      [22, 30, 64],
      [10, 14, 34],
    ],
  },
}

/**
 * Draws a landscape as a PNG of 24-bit colour.
 *
 * @param widthPx - Width in pixels; the height is five eighths of it.
 */
export function drawPicture(scene: Scene, widthPx: number): Buffer {
  const heightPx = Math.max(1, Math.round((widthPx * 5) / 8))
  const stride = 1 + widthPx * 3
  const rows = Buffer.alloc(stride * heightPx)
  for (let y = 0; y < heightPx; y++) {
    for (let x = 0; x < widthPx; x++) {
      const colour = colourAt(PALETTES[scene], (x + 0.5) / widthPx, (y + 0.5) / heightPx, 1 / heightPx)
      // The first byte of each row stays 0: PNG's filter "none".
      for (let channel = 0; channel < 3; channel++) rows[y * stride + 1 + x * 3 + channel] = colour[channel] ?? 0
    }
  }
  return encodePng(widthPx, heightPx, rows)
}

/** `x` and `y` run from 0 to 1; `soft` is a pixel's size, over which edges fade. */
function colourAt({ skyTop, skyBottom, disc, hills }: Palette, x: number, y: number, soft: number): Colour {
  const distance = Math.hypot((x - 0.68) * 1.6, y - 0.36)
  let colour = mix(skyTop, skyBottom, y ** 1.3)
  colour = mix(colour, disc, 0.45 * Math.exp(-distance * 6))
  colour = mix(colour, disc, fade(0.11 - distance, soft))
  for (const [index, hill] of hills.entries()) {
    const ridge =
      0.56 + index * 0.15 + 0.06 * Math.sin(x * (5 + index * 2) + index * 2.1) + 0.025 * Math.sin(x * 17 + index)
    colour = mix(colour, hill, fade(y - ridge, soft))
  }
  return colour
}

function fade(inside: number, soft: number): number {
  return Math.min(1, Math.max(0, inside / soft + 0.5))
}

function mix(from: Colour, to: Colour, share: number): Colour {
  return [
    Math.round(from[0] + (to[0] - from[0]) * share),
    Math.round(from[1] + (to[1] - from[1]) * share),
    Math.round(from[2] + (to[2] - from[2]) * share),
  ]
}

function encodePng(widthPx: number, heightPx: number, rows: Buffer): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(widthPx, 0)
  header.writeUInt32BE(heightPx, 4)
  header[8] = 8 // bits per channel
  header[9] = 2 // red, green, blue
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    pngChunk('IHDR', header),
    pngChunk('IDAT', deflateSync(rows)),
    pngChunk('IEND', Buffer.alloc(0)),
  ])
}

function pngChunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const length = Buffer.alloc(4)
  length.writeUInt32BE(data.length)
  const checksum = Buffer.alloc(4)
  checksum.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, checksum])
}
