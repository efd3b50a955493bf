// The process that is measured, by Node alone: connects, warms up, says `idle`, makes the large call when told to, says
// how it ended.
import { connect, McpError } from '@x/core'

const [url, settings] = process.argv.slice(2)
const { maxResponseBytes, replyBytes, warmCalls } = JSON.parse(settings)
const client = await connect({ url, maxResponseBytes })
const call = (bytes) => client.callTool('text', { bytes })

for (let count = 0; count < warmCalls; count++) await call(1000)
globalThis.gc()
process.send('idle')

process.once('message', async () => {
  const outcome = await call(replyBytes).then(
    () => 'a result',
    (error) => (McpError.is(error) ? error.code : String(error)),
  )
  process.send(outcome)
  await client.close()
  process.disconnect()
})
