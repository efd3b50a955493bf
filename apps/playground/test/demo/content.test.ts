import { inflateSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { connectDemo, ERAS } from './demo-client.js'
import { runDemo } from './running-demo.js'

describe.each(ERAS)('content, %s', (era) => {
  async function call(name: string, args: Record<string, unknown> = {}) {
    const { url } = await runDemo()
    return (await connectDemo(era, url)).callTool(name, args)
  }

  it('echoes a message unchanged', async () => {
    const message = 'a "quoted" line\nand 👩🏽‍🚀 יום'
    expect((await call('echo', { message })).content).toEqual([{ type: 'text', text: message }])
  })

  it('greets in another script, whatever the name contains', async () => {
    const { content } = await call('greeting', { name: '$& 木村', language: 'japanese' })
    expect(content).toEqual([{ type: 'text', text: 'こんにちは、$& 木村さん！🎏' }])
  })

  it('returns structured content and the same as JSON text', async () => {
    const { structuredContent, content } = await call('add', { a: 2.5, b: -4 })
    expect(structuredContent).toEqual({ sum: -1.5 })
    expect(content).toEqual([{ type: 'text', text: '{\n  "sum": -1.5\n}' }])
  })

  it('reports the weather in the unit asked for', async () => {
    const { structuredContent } = await call('weather', { city: 'Zürich', unit: 'fahrenheit', days: 7 })
    expect(structuredContent).toMatchObject({ city: 'Zürich', country: 'Switzerland', unit: 'fahrenheit' })
    expect(structuredContent).toHaveProperty('forecast.length', 7)
  })

  it('draws a PNG of the width asked for', async () => {
    const { content } = await call('image', { scene: 'night', widthPx: 160 })
    expect(content).toHaveLength(1)
    expect(content[0]).toMatchObject({ type: 'image', mimeType: 'image/png' })
    const { widthPx, heightPx, colours } = decodePng(bytesOf(content[0]))
    expect([widthPx, heightPx]).toEqual([160, 100])
    expect(colours).toBeGreaterThan(50)
  })

  it('plays a WAV tone of the pitch and length asked for', async () => {
    const { content } = await call('audio', { frequencyHz: 500, durationMs: 1000 })
    expect(content[0]).toMatchObject({ type: 'audio', mimeType: 'audio/wav' })
    const wav = bytesOf(content[0])
    expect(wav.toString('latin1', 0, 4) + wav.toString('latin1', 8, 16)).toBe('RIFFWAVEfmt ')
    const sampleRateHz = wav.readUInt32LE(24)
    const samples = Array.from({ length: (wav.length - 44) / 2 }, (_, index) => wav.readInt16LE(44 + 2 * index))
    expect(samples).toHaveLength(sampleRateHz)
    // A wave of 500 Hz rises through zero 500 times in a second.
    const rises = samples.filter((sample, index) => sample >= 0 && (samples[index - 1] ?? 0) < 0).length
    expect(Math.abs(rises - 500)).toBeLessThan(3)
  })

  it('embeds a resource as text or as a blob', async () => {
    const text = await call('embedded_resource', { kind: 'text' })
    expect(text.content[0]).toMatchObject({ type: 'resource', resource: { uri: 'demo://readme' } })
    expect(text.content[0]).toHaveProperty('resource.text', expect.stringContaining('# Demo server'))
    const blob = await call('embedded_resource', { kind: 'blob' })
    expect(blob.content[0]).toMatchObject({ type: 'resource', resource: { uri: 'demo://picture.png' } })
    expect(blob.content[0]).toHaveProperty('resource.blob', expect.stringMatching(/^iVBORw0KGgo/))
  })

  it('links to resources that can be read', async () => {
    const { url } = await runDemo()
    const client = await connectDemo(era, url)
    const { content } = await client.callTool('resource_link')
    expect(content.map(({ type }) => type)).toEqual(['resource_link', 'resource_link'])
    for (const link of content) {
      if (link.type !== 'resource_link') continue
      expect(await client.readResource(link.uri)).toMatchObject([{ uri: link.uri, mimeType: link.mimeType }])
    }
  })

  it('mixes every kind of block in one result', async () => {
    const { content } = await call('mixed')
    expect(content.map(({ type }) => type)).toEqual(['text', 'image', 'audio', 'resource_link', 'resource', 'resource'])
    expect(content[0]).toHaveProperty('annotations.audience', ['user', 'assistant'])
  })

  it('marks a failure as an error', async () => {
    expect(await call('error', { message: 'No luck' })).toMatchObject({
      isError: true,
      content: [{ type: 'text', text: 'No luck' }],
    })
  })

  it('returns exactly the bytes asked for', async () => {
    const { content } = await call('large_result', { sizeBytes: 3_000_001 })
    expect(content[0]).toHaveProperty('text.length', 3_000_001)
  })

  it('understands an order of every kind of field, and fills in its defaults', async () => {
    const { structuredContent } = await call('form', {
      name: 'Ada',
      delivery: '2030-02-28',
      items: [{ article: 'tea', quantity: 3 }, { article: 'cocoa' }],
      address: { street: 'Seeweg 1', postcode: '8000' },
      payment: { method: 'invoice', email: 'ada@example.org' },
    })
    expect(structuredContent).toMatchObject({ pieces: 4 })
    expect(structuredContent).toHaveProperty('order.address.country', 'CH')
    expect(structuredContent).toHaveProperty('order.note', null)
    expect(structuredContent).toHaveProperty('order.items[1].quantity', 1)
  })
})

function bytesOf(block: object | undefined): Buffer {
  return Buffer.from(block && 'data' in block && typeof block.data === 'string' ? block.data : '', 'base64')
}

/** Reads the pixels of a PNG without filters, as the PNG specification (third edition, section 11.2) lays it out. */
function decodePng(png: Buffer) {
  const dataStart = 8 + 12 + 13
  const dataLength = png.readUInt32BE(dataStart)
  const widthPx = png.readUInt32BE(16)
  const heightPx = png.readUInt32BE(20)
  const rows = inflateSync(png.subarray(dataStart + 8, dataStart + 8 + dataLength))
  expect(rows).toHaveLength(heightPx * (1 + 3 * widthPx))
  const colours = new Set<string>()
  for (let y = 0; y < heightPx; y++) {
    for (let x = 0; x < widthPx; x++) {
      const offset = y * (1 + 3 * widthPx) + 1 + 3 * x
      colours.add(rows.toString('hex', offset, offset + 3))
    }
  }
  return { widthPx, heightPx, colours: colours.size }
}
