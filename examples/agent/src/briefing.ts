import { readFile } from 'node:fs/promises'
import { connectAll } from '@x/core'
import { toTools } from '@x/core/ai-sdk'
import { readActions, readServers, registerServer, resolveAgent, runActions, type ServerMap } from '@x/core/declarative'
import { connect as stdio } from '@x/core/stdio'
import { generateText, isStepCount, type LanguageModel } from 'ai'

const here = new URL('..', import.meta.url)
const read = (file: string) => readFile(new URL(file, here), 'utf8')

/** The servers that the agent and its actions may name. */
async function readServerMap(env: Record<string, string>): Promise<ServerMap> {
  const { servers } = readServers(await read('mcp.json'), { file: 'mcp.json', env })
  const map: ServerMap = new Map()
  registerServer(map, 'stdio://notes', servers.notes)
  // The key is what files call the server; where it is, is this machine's business.
  registerServer(map, 'https://weather.example/mcp', servers.weather)
  return map
}

/**
 * Lets a model answer, with the tools that the agent file names.
 *
 * @param env - What the variables of `mcp.json` stand for.
 */
export async function askAgent(prompt: string, model: LanguageModel, env: Record<string, string>): Promise<string> {
  const servers = await readServerMap(env)
  await using resolved = await resolveAgent(await read('agent.yaml'), {
    file: 'agent.yaml',
    servers,
    connectAll,
    stdio,
  })
  const { text } = await generateText({
    model,
    system: String(resolved.agent.instructions),
    prompt,
    tools: await toTools(resolved.tools),
    stopWhen: isStepCount(5),
  })
  return text
}

/** Runs the actions of the agent file: each is given what earlier ones have found. */
export async function runMorning(env: Record<string, string>) {
  const servers = await readServerMap(env)
  const actions = readActions(await read('agent.yaml'), { file: 'agent.yaml' })
  return runActions(actions, { servers, connectAll, stdio })
}
