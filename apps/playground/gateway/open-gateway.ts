import { McpError } from '@x/edge'
import type { Plugin } from 'vite'
import { startDemoUpstream } from './demo-upstream.js'
import { readServers, ServersFileError } from './servers.js'
import { gateway } from './vite-plugin.js'

export interface OpenGateway {
  plugin: Plugin
  /** Ends what was started for it; after the Vite server. */
  close(): Promise<void>
}

/**
 * The gateway that the playground's command starts: before the servers of `file`, or else before a demo server.
 *
 * @throws {ServersFileError}
 */
export async function openGateway({ token, file }: { token: string; file?: string }): Promise<OpenGateway> {
  if (file === undefined) {
    const { url, close } = await startDemoUpstream()
    const demo = { title: 'Demo server without CORS', config: { url } }
    return { plugin: gateway({ token, servers: { demo } }), close }
  }
  const servers = await readServers(file)
  try {
    return { plugin: gateway({ token, servers }), close: async () => {} }
  } catch (error) {
    throw McpError.is(error) ? new ServersFileError(`${file}: ${error.message}`) : error
  }
}
