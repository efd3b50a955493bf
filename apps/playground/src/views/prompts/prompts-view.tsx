import { MessageSquareText } from 'lucide-react'
import { Empty } from '../../ui/empty.js'
import { ItemList } from '../item-list.js'
import { Panes } from '../panes.js'
import { RunView } from '../run/run-view.js'
import { useActions, usePlayground } from '../use-store.js'
import { PromptDetail } from './prompt-detail.js'

export function PromptsView() {
  const { items, status, error } = usePlayground((state) => state.lists.prompts)
  const chosen = usePlayground((state) => state.selection.prompts)
  const { choose, reload } = useActions()
  const prompt = items.find((item) => item.name === chosen)
  return (
    <Panes
      name="prompts"
      onBack={() => choose('prompts', undefined)}
      list={
        <ItemList
          label="prompts"
          items={items.map((item) => ({ id: item.name, title: item.title ?? item.name, name: item.name }))}
          status={status}
          error={error}
          chosen={chosen}
          onChoose={(name) => choose('prompts', name)}
          onReload={() => void reload('prompts')}
          empty="This server offers none."
        />
      }
      detail={prompt && <PromptDetail key={prompt.name} prompt={prompt} />}
      result={
        prompt && <RunView kind="prompt" subject={prompt.name} empty="Get the prompt to see its messages here." />
      }
      intro={
        <Empty icon={<MessageSquareText size={28} aria-hidden />} title="Choose a prompt">
          Its messages are shown here.
        </Empty>
      }
    />
  )
}
