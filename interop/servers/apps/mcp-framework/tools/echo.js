import { MCPTool } from 'mcp-framework'
import { z } from 'zod3'

export default class extends MCPTool {
  name = 'echo'
  useStringify = false
  description = 'Gives back what it got'
  schema = { text: { type: z.string(), description: 'What to give back' } }

  async execute({ text }) {
    return text
  }
}
