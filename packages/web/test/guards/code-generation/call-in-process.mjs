// Bundled with core, then run with an endpoint's URL.
import { connect } from '@x/core'

const client = await connect(process.argv[2])
const tools = await client.listTools()
const { structuredContent } = await client.callTool('add', { a: 20, b: 22 })
await client.close()
console.log(JSON.stringify({ tools: tools.length, structuredContent, evaluated: globalThis.evaluated }))
