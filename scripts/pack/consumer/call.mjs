// Calls a tool of a small server through the installed core, and one of the same server as a process.
import { createServer } from 'node:http'
import { connect } from '@x/core'
import { connect as connectLocal } from '@x/core/stdio'

const replies = {
  initialize: {
    protocolVersion: '2025-06-18',
    capabilities: { tools: {} },
    serverInfo: { name: 'small', version: '1' },
  },
  'tools/call': { content: [{ type: 'text', text: 'called' }] },
}
const server = createServer(async (request, response) => {
  let text = ''
  for await (const chunk of request) text += chunk
  const { id, method } = JSON.parse(text || '{}')
  if (id === undefined) return response.writeHead(202).end()
  const result = replies[method]
  const answer = result ? { result } : { error: { code: -32601, message: 'Method not found' } }
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ jsonrpc: '2.0', id, ...answer }))
})
server.listen(0, '127.0.0.1', async () => {
  const client = await connect(`http://127.0.0.1:${server.address().port}/mcp`)
  const { content } = await client.callTool('any')
  await client.close()
  server.close()
  server.closeAllConnections()
  if (content[0].text !== 'called') throw new Error(`the tool answered ${JSON.stringify(content)}`)
})

const local = `
  const replies = ${JSON.stringify(replies)}
  require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
    const { id, method } = JSON.parse(line)
    if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, result: replies[method] }))
  })`
const client = await connectLocal({ command: process.execPath, args: ['-e', local] })
const { content } = await client.callTool('any')
await client.close()
if (content[0].text !== 'called') throw new Error(`the local tool answered ${JSON.stringify(content)}`)
