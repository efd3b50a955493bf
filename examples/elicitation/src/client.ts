import { createInterface } from 'node:readline/promises'
import { connect, type ProtocolVersion } from '@x/core'
import { createTerminalAnswers } from './terminal.js'

const [url, tool, protocolVersion = 'auto'] = process.argv.slice(2)
if (!url || !tool) throw new Error('say which server, and which tool: npm run client -- URL TOOL [REVISION]')

const terminal = createInterface({ input: process.stdin, output: process.stdout })
const client = await connect(
  { url, protocolVersion: protocolVersion as ProtocolVersion | 'auto' },
  { elicit: createTerminalAnswers(terminal) },
)
try {
  const { content } = await client.callTool(tool)
  for (const block of content) if (block.type === 'text') console.log(`\n${tool} says: ${block.text}`)
} finally {
  await client.close()
  terminal.close()
}
