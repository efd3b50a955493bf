import type { ElicitationRequest } from '@x/core'
import { expectEqual, expectNames, expectText, textOf } from './expect.js'
import type { Step } from './step.js'

/**
 * Forms and a URL, asked by the tools of the apps.
 *
 * @param app.defaults - The form has a colour, which is blue unless said otherwise.
 * @param app.names - What is asked comes with the call, so that the hook is told by which tool.
 * @param app.twice - There is a tool that asks twice and keeps what it heard in its state.
 */
export function asks(app: { defaults?: boolean; names?: boolean; twice?: boolean }): Step[] {
  return [
    {
      name: 'answers a form',
      async run({ client, answers }) {
        let asked: ElicitationRequest | undefined
        answers.elicit = async (request) => {
          asked = request
          return { action: 'accept', content: { name: 'Ada' } }
        }
        const result = await client.callTool('ask', {})
        expectEqual([asked?.mode, asked?.message], ['form', 'What is your name?'], 'what was asked')
        if (app.names) expectEqual(asked?.tool, 'ask', 'the tool')
        expectText(result, app.defaults ? 'Hello Ada, blue' : 'Hello Ada')
      },
    },
    {
      name: 'answers two forms at once, each for its call',
      async run({ client, answers }) {
        const names = ['Ada', 'Grace']
        answers.elicit = async () => ({ action: 'accept', content: { name: names.shift() ?? 'nobody' } })
        const results = await Promise.all([client.callTool('ask', {}), client.callTool('ask', {})])
        expectNames(
          results.map((result) => textOf(result).replace(/,.*/, '')),
          ['Hello Ada', 'Hello Grace'],
          'texts',
        )
      },
    },
    {
      name: 'declines a form',
      run: async ({ client }) => expectText(await client.callTool('ask', {}), 'decline'),
    },
    {
      name: 'answers a URL',
      async run({ client, answers }) {
        let asked: ElicitationRequest | undefined
        answers.elicit = async (request) => {
          asked = request
          return { action: 'accept' }
        }
        const result = await client.callTool('ask_url', {})
        expectEqual([asked?.mode, asked?.url], ['url', 'https://example.com/sign-in'], 'what was asked')
        expectText(result, 'accept')
      },
    },
    ...(app.twice ? [asksTwice] : []),
  ]
}

const asksTwice: Step = {
  name: 'answers two forms, one after the other',
  async run({ client, answers }) {
    const names = ['Ada', 'Grace']
    answers.elicit = async () => ({ action: 'accept', content: { name: names.shift() ?? 'nobody' } })
    expectText(await client.callTool('ask_twice', {}), 'Ada and Grace')
  },
}

export const sampling: Step = {
  name: 'samples',
  async run({ client, answers }) {
    answers.sample = async ({ maxTokens }) => {
      expectEqual(maxTokens, 10, 'maxTokens')
      return { role: 'assistant', model: 'interop-model', content: { type: 'text', text: 'forty-two' } }
    }
    expectText(await client.callTool('sample', {}), 'interop-model: forty-two')
  },
}

export const roots: Step = {
  name: 'gives roots',
  run: async ({ client }) => expectText(await client.callTool('roots', {}), 'file:///home/interop'),
}
