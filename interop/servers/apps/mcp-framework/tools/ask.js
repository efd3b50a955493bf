import { MCPTool } from 'mcp-framework'
import { ask } from '../../content.mjs'

export default class extends MCPTool {
  name = 'ask'
  useStringify = false
  description = 'Asks for a name'
  schema = {}

  async execute() {
    const { action, content } = await this.elicit(ask, { name: { type: 'string' } })
    return content ? `Hello ${content.name}` : action
  }
}
