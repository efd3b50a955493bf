import type { ConnectionEvent } from '@x/web'
import { Radio } from 'lucide-react'
import { JsonTree } from '../../json/json-tree.js'
import { Empty } from '../../ui/empty.js'
import { formatTime } from '../../ui/format.js'
import { usePlayground } from '../use-store.js'
import './events.css'

/** What happened on the connection beside the calls: findings, log messages, list changes. Newest first. */
export function EventsView() {
  const events = usePlayground((state) => state.events)
  if (events.length === 0) {
    return (
      <Empty icon={<Radio size={28} aria-hidden />} title="Nothing yet">
        Findings, the server’s log messages and changes of its lists are shown here.
      </Empty>
    )
  }
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
    <section className="events" aria-label="Events" tabIndex={0}>
      <ol className="events-list" data-testid="events">
        {events.toReversed().map(({ id, at, event }) => (
          <li key={id} className="event" data-type={event.type}>
            <time className="event-time">{formatTime(at)}</time>
            <EventBody event={event} />
          </li>
        ))}
      </ol>
    </section>
  )
}

function EventBody({ event }: { event: ConnectionEvent }) {
  switch (event.type) {
    case 'finding':
      return (
        <>
          <span className="badge warn">finding</span>
          <p>
            <code>{event.finding.code}</code> {event.finding.message}{' '}
            {event.finding.path && <code>{event.finding.path}</code>}
          </p>
        </>
      )
    case 'log':
      return (
        <>
          <span className={`badge ${toneOf(event.level)}`}>{event.level}</span>
          <div className="event-body">
            {event.logger && <code>{event.logger}</code>}
            {typeof event.data === 'string' ? <p>{event.data}</p> : <JsonTree value={event.data} label="Log data" />}
          </div>
        </>
      )
    case 'list-changed':
      return (
        <>
          <span className="badge accent">list</span>
          <p>The list of {event.list} changed.</p>
        </>
      )
    case 'resource-updated':
      return (
        <>
          <span className="badge accent">resource</span>
          <p>
            <code>{event.uri}</code> was updated.
          </p>
        </>
      )
    case 'state':
      return (
        <>
          <span className={event.state.error ? 'badge bad' : 'badge'}>{event.state.status}</span>
          <p>{event.state.error?.message ?? `The connection is ${event.state.status}.`}</p>
        </>
      )
    case 'authorization':
      return (
        <>
          <span className="badge">authorization</span>
          <p>{event.step}</p>
        </>
      )
    case 'wire':
      return null
  }
}

function toneOf(level: string): string {
  if (level === 'debug' || level === 'info' || level === 'notice') return ''
  return level === 'warning' ? 'warn' : 'bad'
}
