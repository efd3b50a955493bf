import { MCPTool } from 'mcp-framework'
import { png } from '../../content.mjs'

export default class extends MCPTool {
  name = 'picture'
  description = 'A picture of one pixel'
  schema = {}

  async execute() {
    return { type: 'image', data: png, mimeType: 'image/png' }
  }
}
