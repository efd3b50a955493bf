import { FileText } from 'lucide-react'
import { Empty } from '../../ui/empty.js'
import { ItemList } from '../item-list.js'
import { Panes } from '../panes.js'
import { RunView } from '../run/run-view.js'
import { useActions, usePlayground } from '../use-store.js'
import { ResourceDetail } from './resource-detail.js'
import './resources.css'
import { TemplateDetail } from './template-detail.js'
import { expandTemplate } from './uri-template.js'

export function ResourcesView() {
  const { resources, templates } = usePlayground((state) => state.lists)
  const chosen = usePlayground((state) => state.selection.resources)
  const texts = usePlayground((state) => state.texts[chosen ?? '']) ?? {}
  const { choose, reload } = useActions()
  const resource = resources.items.find((item) => item.uri === chosen)
  const template = templates.items.find((item) => item.uriTemplate === chosen)
  const uri = resource?.uri ?? (template && expandTemplate(template.uriTemplate, texts))
  return (
    <Panes
      name="resources"
      onBack={() => choose('resources', undefined)}
      list={
        <ItemList
          label="resources"
          items={[
            ...resources.items.map((item) => ({ id: item.uri, title: item.title ?? item.name, name: item.uri })),
            ...templates.items.map((item) => ({
              id: item.uriTemplate,
              title: item.title ?? item.name,
              name: item.uriTemplate,
              note: <span className="badge">template</span>,
            })),
          ]}
          status={resources.status === 'idle' ? 'ready' : resources.status}
          error={resources.error ?? templates.error}
          chosen={chosen}
          onChoose={(id) => choose('resources', id)}
          onReload={() => void reload('resources')}
          empty="This server offers none."
        />
      }
      detail={
        resource ? (
          <ResourceDetail resource={resource} />
        ) : (
          template && <TemplateDetail key={template.uriTemplate} template={template} uri={uri ?? ''} values={texts} />
        )
      }
      result={
        uri !== undefined && (
          <RunView kind="resource" subject={uri} empty="Read the resource to see its contents here." />
        )
      }
      intro={
        <Empty icon={<FileText size={28} aria-hidden />} title="Choose a resource">
          Its contents are shown here.
        </Empty>
      }
    />
  )
}
