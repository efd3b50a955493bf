import { promptNames, resourceUris } from './fixtures.js'
import type { Stage } from './stage.js'
import { type ContractTool, createFiller, createTools } from './tools.js'

/** What the server offers, which grows when a test wants it to. */
export interface Offer {
  tools: Map<string, ContractTool>
  /** By URI. */
  resources: string[]
  /** By name. */
  prompts: string[]
  /** Adds an item, `added`. */
  add(list: 'tools' | 'resources' | 'prompts'): void
}

export function createOffer(stage: Stage): Offer {
  const tools = createTools(stage)
  const resources = [...resourceUris]
  const prompts = [...promptNames]
  return {
    tools,
    resources,
    prompts,
    add(list) {
      if (list === 'tools') tools.set('added', createFiller('added'))
      else if (list === 'resources') resources.push('contract://added')
      else prompts.push('added')
    },
  }
}
