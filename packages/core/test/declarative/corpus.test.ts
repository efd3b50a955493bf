import { describe, expect, test } from 'vitest'
import { parseAddCommand, readActions, readServers, resolveAgent } from '../../src/declarative/index.js'
import { type CorpusFile, corpus, outcomeOf } from './corpus.js'
import { createServersInMemory } from './servers-in-memory.js'

const sources = {
  env: { TOKEN: 'SECRET-token', API_KEY: 'SECRET-key', HOME: '/home/me', EMPTY: '' },
  inputs: { 'api-key': 'SECRET-input' },
}

const readers: Record<string, (text: string, file: string) => unknown> = {
  servers: (text, file) => readServers(text, { file, ...sources }),
  agents: async (text, file) => {
    const { servers, opening } = createServersInMemory()
    const { agent, tools, close } = await resolveAgent(text, { file, servers, ...opening })
    await close()
    return { agent, tools: tools.map(({ name, server, tool }) => ({ name, server, tool: tool.name })) }
  },
  actions: (text, file) => readActions(text, { file }),
  commands: (text) => parseAddCommand(text, sources),
}

/** As editors and systems write the same text. */
const writings: Record<string, (text: string) => string> = {
  'as it is': (text) => text,
  'with CRLF': (text) => text.replaceAll('\n', '\r\n'),
  'with a byte order mark': (text) => `\ufeff${text}`,
}

describe.each(Object.entries(readers))('%s', (kind, read) => {
  const files = corpus(kind as 'servers')

  test.each(files.map((file): [string, CorpusFile] => [file.name, file]))('%s', async (name, { text, expected }) => {
    for (const [writing, write] of Object.entries(writings)) {
      if (kind === 'commands' && writing === 'with a byte order mark') continue
      expect(await outcomeOf(() => read(write(text), name)), writing).toEqual(expected)
    }
    // What the files call a secret is in what is read, and in no error.
    if ('errors' in expected) expect(JSON.stringify(expected)).not.toContain('SECRET')
  })
})

test('the corpus has good and bad files of each kind', () => {
  for (const kind of ['servers', 'agents', 'actions', 'commands'] as const) {
    const good = corpus(kind).filter(({ expected }) => 'result' in expected)
    expect(good.length, kind).toBeGreaterThan(2)
    expect(corpus(kind).length - good.length, kind).toBeGreaterThan(4)
  }
})
