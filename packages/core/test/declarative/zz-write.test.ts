import { writeFileSync } from 'node:fs'
import { test } from 'vitest'
import { parseAddCommand, readActions, readServers, resolveAgent } from '../../src/declarative/index.js'
import { corpus, outcomeOf } from './corpus.js'
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
test('write', async () => {
  for (const [kind, read] of Object.entries(readers)) for (const { name, text } of corpus(kind as 'servers')) {
    const t = Date.now()
    let outcome
    try { outcome = await outcomeOf(() => read(text, name)) } catch (e) { console.log(name, e); continue }
    writeFileSync(new URL(`corpus/${kind}/${name}.expected.json`, import.meta.url), JSON.stringify(outcome, null, 2) + '\n')
    if (Date.now() - t > 300) console.log(name, Date.now() - t)
  }
})
