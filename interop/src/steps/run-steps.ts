import type { ConnectOptions, McpClient, ServerConfig } from '@x/core'
import { refusedWithoutCors } from './cors.js'
import { serverSteps } from './server-steps.js'
import type { Connect, Dialogues, Scene, Step } from './step.js'

/** Milliseconds for one step; the longest wait of a server's own in here is 5 s. */
const stepLimitMs = 20_000

/** What is to be run: plain data, which also goes into a page. */
export interface Job {
  server: string
  /** The MCP endpoint. */
  url: string
  /** In a page, for a server that knows no CORS: its endpoint without the proxy. */
  urlWithoutCors?: string
}

export interface StepReport {
  name: string
  /** Why it failed, in words. */
  error?: string
}

/** The names of a job's steps. The first is always to connect. */
export function stepNames(server: string, withoutCors: boolean): string[] {
  const { steps } = serverSteps[server]!
  return [connects, ...steps.map(({ name }) => name), ...(withoutCors ? [refusedWithoutCors.name] : [])]
}

const connects = 'connects'

/** Does with a server what there is for it, step by step; one that fails doesn't keep the others from running. */
export async function runSteps(job: Job, connect: Connect): Promise<StepReport[]> {
  const { config: beside, steps } = serverSteps[job.server]!
  const config = { url: job.url, ...beside }
  const answers: Partial<Dialogues> = {}
  const reports: StepReport[] = []
  let client: McpClient | undefined
  const attempt = async (name: string, run: () => Promise<void>) => {
    reports.push({ name, ...(await failureOf(run)) })
  }
  await attempt(connects, async () => {
    client = await connect(config, toHooks(answers))
  })
  for (const step of steps) await attempt(step.name, () => runStep(step, client, answers, config, connect))
  await client?.close()
  if (job.urlWithoutCors) {
    const { urlWithoutCors: url } = job
    await attempt(refusedWithoutCors.name, () => refusedWithoutCors.run({ ...config, url }, connect))
  }
  return reports
}

async function runStep(
  step: Step,
  client: McpClient | undefined,
  answers: Partial<Dialogues>,
  config: ServerConfig,
  connect: Connect,
): Promise<void> {
  if (!client) throw new Error('there is no connection')
  const opened: McpClient[] = []
  const scene: Scene = {
    client,
    answers,
    async open(further, hooks = {}) {
      const another = await connect({ ...config, ...further }, hooks)
      opened.push(another)
      return another
    },
  }
  try {
    await step.run(scene)
  } finally {
    for (const name of Object.keys(answers) as (keyof Dialogues)[]) delete answers[name]
    await Promise.all(opened.map((another) => another.close()))
  }
}

/** Hooks that are there from the start, so that the client can offer them to the server. */
function toHooks(answers: Partial<Dialogues>): ConnectOptions {
  const unexpected = (what: string) => new Error(`${what} was not expected`)
  return {
    elicit: async (request) => answers.elicit?.(request) ?? { action: 'decline' },
    async sample(request) {
      if (!answers.sample) throw unexpected('sampling')
      return answers.sample(request)
    },
    roots: async (request) => answers.roots?.(request) ?? [{ uri: 'file:///home/interop', name: 'interop' }],
  }
}

async function failureOf(run: () => Promise<void>): Promise<{ error?: string }> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`not done after ${stepLimitMs} ms`)), stepLimitMs)
  })
  try {
    await Promise.race([run(), late])
    return {}
  } catch (error) {
    return { error: error instanceof Error ? `${error.name}: ${error.message}` : String(error) }
  } finally {
    clearTimeout(timer)
  }
}
