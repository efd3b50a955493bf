import { describe, expect, it } from 'vitest'
import { connectDemo, ERAS } from './demo-client.js'
import { runDemo } from './running-demo.js'

const ORDER = {
  name: 'Ada',
  delivery: '2030-02-28',
  items: [{ article: 'tea' }],
  address: { street: 'Seeweg 1', postcode: '8000' },
  payment: { method: 'card', lastDigits: '1234' },
}

describe.each(ERAS)('running calls, %s', (era) => {
  it('reports progress in order, and before the result', async () => {
    const { url } = await runDemo()
    const client = await connectDemo(era, url)
    const seen: unknown[] = []
    const result = await client.callTool(
      'progress',
      { steps: 4, delayMs: 5 },
      { onProgress: (update) => seen.push(update) },
    )
    seen.push(result.content[0])
    expect(seen).toEqual([
      ...[1, 2, 3, 4].map((step) => ({ progress: step, total: 4, message: `Step ${step} of 4` })),
      { type: 'text', text: 'Done in 4 steps.' },
    ])
  })

  it('works without progress when the client does not ask for it', async () => {
    const { url } = await runDemo()
    const client = await connectDemo(era, url)
    const { content } = await client.callTool('progress', { steps: 1, delayMs: 0 })
    expect(content).toEqual([{ type: 'text', text: 'Done in 1 step.' }])
  })

  it('stops the slow tool when the client cancels', async () => {
    const { url, event, events } = await runDemo()
    const client = await connectDemo(era, url)
    const cancelling = new AbortController()
    const call = client.callTool('slow', { durationMs: 600_000 }, { signal: cancelling.signal })
    const rejected = expect(call).rejects.toThrow()
    await event({ type: 'tool', tool: 'slow', phase: 'started', era })
    cancelling.abort()
    await rejected
    await event({ type: 'tool', tool: 'slow', phase: 'cancelled', era })
    expect(events).not.toContainEqual({ type: 'tool', tool: 'slow', phase: 'finished', era })
    // The connection is as good as before.
    expect((await client.callTool('echo', { message: 'still here' })).content).toEqual([
      { type: 'text', text: 'still here' },
    ])
  })

  it('stops the slow tool when the server is closed', async () => {
    const { url, event, demo } = await runDemo()
    const client = await connectDemo(era, url)
    const leaving = new AbortController()
    const call = client.callTool('slow', { durationMs: 600_000 }, { signal: leaving.signal })
    const rejected = expect(call).rejects.toThrow()
    await event({ type: 'tool', tool: 'slow', phase: 'started' })
    await demo.close()
    await event({ type: 'tool', tool: 'slow', phase: 'cancelled' })
    leaving.abort()
    await rejected
  })

  it('sends log messages from the level that the client wants', async () => {
    const { url } = await runDemo()
    const levels: string[] = []
    let heardLast: () => void
    const last = new Promise<void>((resolve) => {
      heardLast = resolve
    })
    const client = await connectDemo(era, url, {
      onLog(level, data) {
        levels.push(`${level}: ${data}`)
        if (level === 'error') heardLast()
      },
    })
    await client.callTool('log', { message: 'Rain' })
    await last
    expect(levels).toEqual(['notice: Rain', 'warning: Rain', 'error: Rain'])
  })

  it.each([
    ['add', { a: 1e13, b: 0 }],
    ['image', { widthPx: 641 }],
    ['audio', { frequencyHz: 440, durationMs: 5001 }],
    ['audio', { frequencyHz: 1e9 }],
    ['weather', { days: 8 }],
    ['progress', { steps: 101, delayMs: 0 }],
    ['progress', { steps: 1, delayMs: 5001 }],
    ['slow', { durationMs: 600_001 }],
    ['large_result', { sizeBytes: 64 * 1024 * 1024 + 1 }],
    ['large_result', { sizeBytes: 0.5 }],
    ['form', { ...ORDER, items: [{ article: 'tea', quantity: 100 }] }],
    ['form', { ...ORDER, tags: ['urgent', 'urgent'] }],
    ['echo', { message: 'x'.repeat(10_001) }],
  ])('refuses arguments past the limits of %s: %#', async (name, args) => {
    const { url, events } = await runDemo()
    const client = await connectDemo(era, url)
    const { isError, content } = await client.callTool(name, args)
    expect(isError).toBe(true)
    expect(content[0]).toHaveProperty('text', expect.stringContaining('Invalid arguments'))
    expect(events.filter(({ type }) => type === 'tool')).toEqual([])
  })
})
