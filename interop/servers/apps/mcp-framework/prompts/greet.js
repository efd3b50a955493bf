import { MCPPrompt } from 'mcp-framework'
import { z } from 'zod3'

export default class extends MCPPrompt {
  name = 'greet'
  description = 'Greets somebody'
  schema = { user: { type: z.string(), description: 'Whom to greet', required: true } }

  async generateMessages({ user }) {
    return [{ role: 'user', content: { type: 'text', text: `Greet ${user}` } }]
  }
}
