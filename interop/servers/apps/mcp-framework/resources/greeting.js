import { MCPResource } from 'mcp-framework'

export default class extends MCPResource {
  uri = 'test://greeting'
  name = 'greeting'
  mimeType = 'text/plain'

  async read() {
    return [{ uri: this.uri, mimeType: this.mimeType, text: 'Hello!' }]
  }
}
