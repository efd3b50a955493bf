export interface StreamEvent {
  type: string
  data: string
}

/**
 * The events of an event stream that has come so far, and the id that it would be resumed after, by the algorithm of the
 * HTML standard.
 *
 * @see {@link https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation}
 */
export function readEvents(text: string): { events: StreamEvent[]; lastEventId: string } {
  const events: StreamEvent[] = []
  let lastEventId = ''
  let data = ''
  let type = ''
  let id = ''
  // What stands behind the last line end is not yet a line.
  for (const line of text.split(/\r\n|\r|\n/).slice(0, -1)) {
    if (line === '') {
      lastEventId = id
      if (data !== '') events.push({ type: type || 'message', data: data.slice(0, -1) })
      data = ''
      type = ''
      continue
    }
    const [, field, value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line)!
    if (field === 'event') type = value
    else if (field === 'data') data += `${value}\n`
    else if (field === 'id' && !value.includes('\0')) id = value
  }
  return { events, lastEventId }
}
