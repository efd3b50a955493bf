import type { JsonObject } from '@x/core'
import { authorizationScenarios } from './authorization-scenarios.js'
import type { SignIn } from './sign-in.js'
import { type Client, type Connect, expectText, type Job, type Steps } from './steps.js'

/** By scenario: what an app does that makes the client do what the suite looks for. */
const steps: Record<string, Steps> = {
  ...authorizationScenarios,
  initialize: { run: (client) => client.listTools() },
  tools_call: {
    async run(client) {
      await client.listTools()
      await expectText(client, 'add_numbers', { a: 5, b: 3 }, 'The sum of 5 and 3 is 8')
    },
  },
  'sse-retry': {
    async run(client) {
      await client.listTools()
      await expectText(client, 'test_reconnection', {}, 'Reconnection test completed successfully')
    },
  },
  'request-metadata': { run: (client) => client.listTools() },
  'http-standard-headers': {
    async run(client) {
      for (const { name } of await client.listTools()) await client.callTool(name, {})
      for (const { uri } of await client.listResources()) await client.readResource(uri)
      for (const { name } of await client.listPrompts()) await client.getPrompt(name)
    },
  },
  'http-custom-headers': {
    async run(client, { toolCalls }) {
      await client.listTools()
      for (const call of toolCalls as { name: string; arguments: JsonObject }[])
        await client.callTool(call.name, call.arguments)
    },
  },
  'http-invalid-tool-headers': {
    async run(client) {
      for (const { name } of await client.listTools()) await client.callTool(name, { region: 'us-west1' })
    },
  },
  'json-schema-ref-no-deref': { run: (client) => client.listTools() },
  'json-schema-2020-12-preservation': {
    async run(client) {
      const tools = await client.listTools()
      const { inputSchema } = tools.find(({ name }) => name === 'json_schema_2020_12_tool')!
      await client.callTool('json_schema_echo', { schema: inputSchema })
    },
  },
  'elicitation-sep1034-client-defaults': {
    hooks: { elicit: async () => ({ action: 'accept', content: {} }) },
    async run(client) {
      await client.listTools()
      // Less than the server's own patience with a client that never gets to see its question.
      await client.callTool('test_client_elicitation_defaults', {}, { timeoutMs: 5_000 })
    },
  },
  'sep-2322-client-request-state': {
    hooks: { elicit: async () => ({ action: 'accept', content: { confirmed: true } }) },
    async run(client) {
      await client.listTools()
      // At once: what belongs to one call must not get into another.
      await Promise.all([client.callTool('test_mrtr_echo_state', {}), client.callTool('test_mrtr_unrelated', {})])
      await client.callTool('test_mrtr_no_state', {})
      await client.callTool('test_mrtr_no_result_type', {})
    },
  },
  'sep-2640-client-no-prefetch': { run: listSkills },
  'sep-2640-client-verify-digest': { run: readTamperedSkills },
  'sep-2640-client-verify-size': { run: readTamperedSkills },
  'sep-2640-client-verify-frontmatter': { run: readTamperedSkills },
}

/**
 * Does what a scenario is for, with a client that finds out the revision by itself.
 *
 * @throws Error when the client fails, gives another result than the suite's server sent, or speaks another revision; of a
 *   scenario that it has to refuse, when it does not.
 */
export async function runScenario(job: Job, connect: Connect, signIn: SignIn): Promise<void> {
  const wanted = steps[job.scenario]
  if (!wanted) throw new Error(`src/scenarios.ts has no steps for ${job.scenario}`)
  if (!wanted.refused) return runSteps(wanted, job, connect, signIn)
  const failure: unknown = await runSteps(wanted, job, connect, signIn).then(
    () => undefined,
    (error: unknown) => error,
  )
  if (failure === undefined) throw new Error('the client went on with what it has to refuse')
  const { code } = failure as { code?: unknown }
  if (!wanted.refused.includes(String(code))) throw failure
}

async function runSteps(
  { auth, hooks, hooksFor, anyRevision, run }: Steps,
  { serverUrl, revision, context }: Job,
  connect: Connect,
  signIn: SignIn,
): Promise<void> {
  const client = await connect(
    { url: serverUrl, ...(auth && { auth: await auth(context, signIn) }) },
    // Without a person there is no click to wait for.
    { ...(auth && { signIn: 'when-needed', authorize: signIn.authorize }), ...hooks, ...hooksFor?.(context) },
  )
  try {
    const spoken = client.state.server?.protocolVersion
    if (!anyRevision && spoken !== revision) throw new Error(`the client speaks revision ${spoken}, not ${revision}`)
    await run(client, context)
  } finally {
    await client.close()
  }
}

async function listSkills(client: Client): Promise<object[]> {
  if (!client.listSkills) throw new Error('the client has no listSkills')
  return client.listSkills()
}

/** As a host does that goes on with a skill once it could be read; these can't be, since they were tampered with. */
async function readTamperedSkills(client: Client): Promise<void> {
  for (const skill of await listSkills(client)) {
    if (!client.readSkill) throw new Error('the client has no readSkill')
    let refused = false
    await client.readSkill(skill).catch(() => {
      refused = true
    })
    if (!refused) await client.readSkill(skill, 'references/FORMS.md')
  }
}
