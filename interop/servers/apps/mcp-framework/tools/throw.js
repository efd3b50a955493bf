import { MCPTool } from 'mcp-framework'

export default class extends MCPTool {
  name = 'throw'
  description = 'Fails'
  schema = {}

  async execute() {
    throw new Error('kaboom')
  }
}
