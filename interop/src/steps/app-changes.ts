import { collect, doUntilHeard, seesWithoutListening } from './events.js'
import { expectText } from './expect.js'
import type { Step } from './step.js'

export const touching: Step = {
  name: 'subscribes to a resource',
  async run({ client }) {
    let updated = (): void => {}
    const update = new Promise<void>((resolve) => {
      updated = resolve
    })
    const unsubscribe = await client.subscribeResource('test://greeting', () => updated())
    await client.callTool('touch', { uri: 'test://greeting' })
    await update
    unsubscribe()
  },
}

export const growing: Step = {
  name: 'hears of a new tool, which is then listed and called',
  async run({ client }) {
    await client.listTools()
    const changes = collect(client, 'list-changed', { lists: true })
    const heard = changes.until(({ list }) => list === 'tools')
    await doUntilHeard(() => client.callTool('grow', { name: 'grown' }), heard)
    changes.stop()
    if (!(await client.listTools()).some(({ name }) => name === 'grown')) throw new Error('the new tool is not listed')
    expectText(await client.callTool('grown', {}), 'I am new')
  },
}

export const growingQuietly = seesWithoutListening(
  (client) => client.callTool('grow', { name: 'quiet' }),
  async (client) => (await client.listTools()).some(({ name }) => name === 'quiet'),
)
