import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { root } from './command.mjs'
import { Failure } from './failure.mjs'
import { checkPort, host, wantedPort } from './port.mjs'

/** Finds out before the long part whether it can end well. */
export async function checkStart(args) {
  serversFile(args)
  await checkPort()
}

/** Serves the built playground, with its demo server and its gateway, until Ctrl-C. */
export async function start(args) {
  const file = serversFile(args)
  // Someone may have taken it while we built.
  await checkPort()
  const token = randomBytes(32).toString('base64url')
  const gateway = await openGateway({ token, file })
  const { preview } = await import('vite')
  const server = await preview({
    root: path.join(root, 'apps/playground'),
    logLevel: 'warn',
    plugins: [gateway.plugin],
    preview: { host, port: wantedPort(), strictPort: true, open: false },
  })
  // In the fragment, which browsers send to nobody.
  console.log(`Playground: http://${host}:${server.httpServer.address().port}/#token=${token} (Ctrl-C ends it)`)
  endWhenTold(async () => {
    await server.close()
    await gateway.close()
  })
}

/** The file of the servers behind the gateway, if one is named. */
function serversFile(args) {
  const { config } = readArguments(args)
  if (config === undefined) return undefined
  // npm changes to the workspace's folder, and says where it was called.
  const file = path.resolve(process.env.INIT_CWD ?? process.cwd(), config)
  if (!existsSync(file)) throw new Failure(`${file}: there is no such file.`)
  return file
}

function readArguments(args) {
  try {
    return parseArgs({ args, options: { config: { type: 'string' } } }).values
  } catch (error) {
    const [what] = error.message.split('. ')
    throw new Failure(`${what}: npm start takes -- --config FILE, the servers behind its gateway.`)
  }
}

async function openGateway(options) {
  const { tsImport } = await import('tsx/esm/api')
  const { openGateway: open } = await tsImport('../apps/playground/gateway/open-gateway.ts', import.meta.url)
  try {
    return await open(options)
  } catch (error) {
    throw error.name === 'ServersFileError' ? new Failure(error.message) : error
  }
}

function endWhenTold(close) {
  const end = async () => {
    await close()
    process.exit(0)
  }
  // Vite's own listener ends with 143, which npm calls an error.
  process.removeAllListeners('SIGTERM')
  process.once('SIGINT', end).once('SIGTERM', end)
  // npm tells the shell between us to end, which doesn't pass it on.
  const parent = process.ppid
  if (process.env.npm_lifecycle_event) setInterval(() => process.ppid === parent || end(), 500).unref()
}
