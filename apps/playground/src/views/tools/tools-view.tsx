import { ItemList } from '../item-list.js'
import { Panes } from '../panes.js'
import { RunView } from '../run/run-view.js'
import { ServerIntro } from '../server/server-intro.js'
import { useActions, usePlayground } from '../use-store.js'
import { ToolView } from './tool-view.js'
import './tools.css'

export function ToolsView() {
  const { items, status, error } = usePlayground((state) => state.lists.tools)
  const chosen = usePlayground((state) => state.selection.tools)
  const { choose, reload } = useActions()
  const tool = items.find((item) => item.name === chosen)
  return (
    <Panes
      name="tools"
      onBack={() => choose('tools', undefined)}
      list={
        <ItemList
          label="tools"
          items={items.map((item) => ({
            id: item.name,
            title: item.title ?? item.annotations?.title ?? item.name,
            name: item.name,
            note: item.annotations?.destructiveHint && <span className="badge bad">destructive</span>,
          }))}
          status={status}
          error={error}
          chosen={chosen}
          onChoose={(name) => choose('tools', name)}
          onReload={() => void reload('tools')}
          empty="This server offers none."
        />
      }
      detail={tool && <ToolView key={tool.name} tool={tool} />}
      result={tool && <RunView kind="tool" subject={tool.name} empty="Call the tool to see its result here." />}
      intro={<ServerIntro />}
    />
  )
}
