/** Streams on which the server speaks first. */
export interface Streams {
  /**
   * The response with a body that can be ended.
   *
   * @param last - What the stream ends with when that is done gracefully.
   */
  keep(response: Response, last?: unknown): Response
  end(how: 'graceful' | 'cut'): void
}

export function createStreams(): Streams {
  const open = new Set<(how: 'graceful' | 'cut') => void>()
  return {
    keep(response, last) {
      const reader = response.body!.getReader()
      let end: (how: 'graceful' | 'cut') => void = () => {}
      const body = new ReadableStream<Uint8Array>({
        start(controller) {
          end = (how) => {
            open.delete(end)
            if (how === 'cut') controller.error(new Error('the server cuts its stream'))
            else {
              if (last !== undefined)
                controller.enqueue(new TextEncoder().encode(`event: message\ndata: ${JSON.stringify(last)}\n\n`))
              controller.close()
            }
            void reader.cancel().catch(() => {})
          }
          open.add(end)
        },
        async pull(controller) {
          const { done, value } = await reader.read()
          if (!open.has(end)) return
          if (!done) return controller.enqueue(value)
          open.delete(end)
          controller.close()
        },
        cancel(reason) {
          open.delete(end)
          return reader.cancel(reason)
        },
      })
      return new Response(body, response)
    },
    end(how) {
      for (const end of [...open]) end(how)
    },
  }
}
