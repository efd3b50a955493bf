// Bundled with core, then run with an endpoint's URL.
import { connect } from '@x/core'

const client = await connect(process.argv[2])
const tools = await client.listTools()
const { structuredContent } = await client.callTool('add', { a: 20, b: 22 })
const wrong = await client.callTool('add', { a: 'twenty', b: 22 })
const findings = wrong.findings.map(({ code }) => code)
await client.close()
console.log(JSON.stringify({ tools: tools.length, structuredContent, findings, evaluated: globalThis.evaluated }))
