import { McpError } from '@x/edge'
import type { Plugin } from 'vite'
import { startDemoUpstream } from './demo-upstream.js'
import { createLocalEndpoint } from './local-endpoint.js'
import { type GatewayServer, type NamedServer, readServers, ServersFileError } from './servers.js'
import { createTemporaryFiles } from './temporary-files.js'
import { gateway } from './vite-plugin.js'

export interface OpenGateway {
  plugin: Plugin
  /** Ends what was started for it; after the Vite server. */
  close(): Promise<void>
}

/**
 * The gateway that the playground's command starts: before the servers of `file`, or else before a demo server and one
 * for the files of a temporary folder. Commands come from the file alone: the page can name a server, and no more.
 *
 * @throws {ServersFileError}
 */
export async function openGateway({ token, file }: { token: string; file?: string }): Promise<OpenGateway> {
  if (file === undefined) {
    const [{ url, close }, files] = await Promise.all([startDemoUpstream(), createTemporaryFiles()])
    const demo = { title: 'Demo server without CORS', config: { url } }
    const opened = open({ demo, files: { title: 'Files of a temporary folder', local: files.server } }, token)
    return {
      plugin: opened.plugin,
      async close() {
        await Promise.all([close(), opened.close()])
        await files.remove()
      },
    }
  }
  const servers = await readServers(file)
  try {
    return open(servers, token)
  } catch (error) {
    throw McpError.is(error) ? new ServersFileError(`${file}: ${error.message}`) : error
  }
}

function open(named: Record<string, NamedServer>, token: string): OpenGateway {
  const closing: (() => Promise<void>)[] = []
  const servers = Object.entries(named).map(([name, server]): [string, GatewayServer] => {
    if ('config' in server) return [name, server]
    const { fetch, close } = createLocalEndpoint(server.local)
    closing.push(close)
    // Nothing is ever sent there.
    return [name, { title: server.title, config: { url: 'http://local.invalid/mcp', fetch } }]
  })
  return {
    plugin: gateway({ token, servers: Object.fromEntries(servers) }),
    close: async () => void (await Promise.all(closing.map((close) => close()))),
  }
}
