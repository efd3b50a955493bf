import { Tabs } from '@base-ui/react/tabs'
import type { Section } from '../store/state.js'
import { ErrorCard } from './errors/error-card.js'
import { EventsView } from './events/events-view.js'
import { PromptsView } from './prompts/prompts-view.js'
import { ResourcesView } from './resources/resources-view.js'
import './sections.css'
import { ToolsView } from './tools/tools-view.js'
import { useActions, usePlayground } from './use-store.js'

/** The page of an open connection: what the server offers, section by section. */
export function Sections() {
  const section = usePlayground((state) => state.section)
  const lists = usePlayground((state) => state.lists)
  const events = usePlayground((state) => state.events.length)
  const { show } = useActions()
  const tabs: [Section, string, number][] = [
    ['tools', 'Tools', lists.tools.items.length],
    ['resources', 'Resources', lists.resources.items.length + lists.templates.items.length],
    ['prompts', 'Prompts', lists.prompts.items.length],
    ['events', 'Events', events],
  ]
  return (
    <Tabs.Root
      className="sections"
      render={<main tabIndex={-1} ref={focus} />}
      value={section}
      onValueChange={(value: Section) => show(value)}
    >
      <h1 className="visually-hidden">What the server offers</h1>
      <Tabs.List className="tabs" aria-label="What the server offers">
        {tabs.map(([value, label, count]) => (
          <Tabs.Tab key={value} className="tab" value={value}>
            {label}
            <span className="tab-count">{count}</span>
          </Tabs.Tab>
        ))}
      </Tabs.List>
      <LostConnection />
      <Tabs.Panel className="section" value="tools" tabIndex={-1}>
        <ToolsView />
      </Tabs.Panel>
      <Tabs.Panel className="section" value="resources" tabIndex={-1}>
        <ResourcesView />
      </Tabs.Panel>
      <Tabs.Panel className="section" value="prompts" tabIndex={-1}>
        <PromptsView />
      </Tabs.Panel>
      <Tabs.Panel className="section" value="events" tabIndex={-1}>
        <EventsView />
      </Tabs.Panel>
    </Tabs.Root>
  )
}

// The form that had the focus is gone.
const focus = (main: HTMLElement | null) => main?.focus({ preventScroll: true })

function LostConnection() {
  const connection = usePlayground((state) => state.connection)
  const { connect } = useActions()
  if (connection.phase !== 'open' || !connection.state.error) return null
  return (
    <div className="sections-notice">
      <ErrorCard error={connection.state.error} />
      <button type="button" className="button" onClick={() => void connect()}>
        Connect again
      </button>
    </div>
  )
}
