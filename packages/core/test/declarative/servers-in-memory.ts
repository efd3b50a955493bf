import { createClient } from '../../src/client.js'
import type { OpenServersOptions } from '../../src/declarative/index.js'
import { registerServer, type ServerMap } from '../../src/declarative/index.js'
import { ConnectError } from '../../src/errors.js'
import { createToolset } from '../../src/toolset/toolset.js'
import { createFakeServer, type FakeServer } from '../fake-server.js'

/** Servers without a wire: `stdio://files`, `https://weather.example/mcp`, and `stdio://dead`, which never starts. */
export interface ServersInMemory {
  servers: ServerMap
  files: FakeServer
  weather: FakeServer
  /** How servers are opened. */
  opening: Pick<OpenServersOptions, 'connectAll' | 'stdio'>
  /** What was opened, by command or URL. */
  opened: string[]
}

export function createServersInMemory(): ServersInMemory {
  const files = createFakeServer('read_file', 'write_file')
  const weather = createFakeServer('forecast')
  const opened: string[] = []
  const servers: ServerMap = new Map()
  registerServer(servers, 'stdio://files', { command: 'files' })
  registerServer(servers, 'stdio://dead', { command: 'dead' })
  registerServer(servers, 'https://weather.example/mcp')
  return {
    servers,
    files,
    weather,
    opened,
    opening: {
      async connectAll(sources, options) {
        const toolset = createToolset(async ({ url }) => {
          opened.push(url)
          return weather.connection
        }, options)
        await Promise.allSettled(Object.entries(sources).map(([name, source]) => toolset.add(name, source)))
        return toolset
      },
      async stdio({ command }) {
        opened.push(command)
        if (command === 'files') return createClient(files.connection)
        throw new ConnectError('The command "dead" ended with code 1')
      },
    },
  }
}
