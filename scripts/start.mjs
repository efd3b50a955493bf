import path from 'node:path'
import { root } from './command.mjs'
import { checkPort, host, wantedPort } from './port.mjs'

/** Serves the built playground, with its demo server, until Ctrl-C. */
export async function start() {
  // Someone may have taken it while we built.
  await checkPort()
  const { preview } = await import('vite')
  const options = { host, port: wantedPort(), strictPort: true, open: false }
  const server = await preview({ root: path.join(root, 'apps/playground'), logLevel: 'warn', preview: options })
  console.log(`Playground: http://${host}:${server.httpServer.address().port}/ (Ctrl-C ends it)`)
  endWhenTold(server)
}

function endWhenTold(server) {
  const end = async () => {
    await server.close()
    process.exit(0)
  }
  // Vite's own listener ends with 143, which npm calls an error.
  process.removeAllListeners('SIGTERM')
  process.once('SIGINT', end).once('SIGTERM', end)
  // npm tells the shell between us to end, which doesn't pass it on.
  const parent = process.ppid
  if (process.env.npm_lifecycle_event) setInterval(() => process.ppid === parent || end(), 500).unref()
}
