import { MCPTool } from 'mcp-framework'
import { z } from 'zod3'

export default class extends MCPTool {
  name = 'count'
  useStringify = false
  description = 'Counts, and tells how far it is'
  schema = { to: { type: z.number(), description: 'The last number' } }

  async execute({ to }) {
    for (let progress = 1; progress <= to; progress += 1) {
      await this.reportProgress(progress, to)
      await this.log('info', `at ${progress}`)
    }
    return `counted to ${to}`
  }
}
