import type { ElicitationRequest, SamplingRequest } from '@x/core'
import { expectEqual, expectMatch, expectText, textOf } from './expect.js'
import type { Step } from './step.js'

/** What the server asks the client for, by its tools. */
export const dialogueSteps: readonly Step[] = [
  {
    name: 'answers a form',
    async run({ client, answers }) {
      let asked: ElicitationRequest | undefined
      answers.elicit = async (request) => {
        asked = request
        return { action: 'accept', content: { name: 'Ada', check: true, integer: 7 } }
      }
      const result = await client.callTool('trigger-elicitation-request')
      expectEqual(
        [asked?.mode, asked?.message],
        ['form', 'Please provide inputs for the following fields:'],
        'what was asked',
      )
      expectText(result, /- Name: Ada\n- Agreed to terms: true\n(.*\n)*- Favorite Integer: 7/)
    },
  },
  {
    name: "sends a form's defaults for what was left out",
    async run({ client, answers }) {
      answers.elicit = async () => ({ action: 'accept', content: { name: 'Ada' } })
      expectText(
        await client.callTool('trigger-elicitation-request'),
        /- Favorite Integer: 42\n- Favorite Number: 3.14/,
      )
    },
  },
  {
    name: 'declines a form',
    async run({ client, answers }) {
      answers.elicit = async () => ({ action: 'decline' })
      expectText(await client.callTool('trigger-elicitation-request'), /User declined to provide/)
    },
  },
  {
    name: 'does not send an answer that the form forbids',
    async run({ client, answers }) {
      let asked = 0
      answers.elicit = async () => {
        asked += 1
        return { action: 'accept', content: { name: 'Ada', integer: 1_000 } }
      }
      const text = textOf(await client.callTool('trigger-elicitation-request'))
      expectEqual(asked, 1, 'how often the hook was asked')
      if (text.includes('1000')) throw new Error(`the server got it: ${text}`)
    },
  },
  {
    name: 'answers a URL',
    async run({ client, answers }) {
      let asked: ElicitationRequest | undefined
      answers.elicit = async (request) => {
        asked = request
        return { action: 'accept' }
      }
      const url = 'https://example.com/sign-in?state=1'
      const result = await client.callTool('trigger-url-elicitation', { url, elicitationId: 'one' })
      expectEqual([asked?.mode, asked?.url, asked?.elicitationId], ['url', url, 'one'], 'what was asked')
      expectText(result, /User completed the URL elicitation flow/)
    },
  },
  {
    name: 'does not show a URL that is not https',
    async run({ client, answers }) {
      let asked = 0
      answers.elicit = async () => {
        asked += 1
        return { action: 'accept' }
      }
      const text = textOf(await client.callTool('trigger-url-elicitation', { url: 'http://example.com/' }))
      expectEqual(asked, 0, 'how often the hook was asked')
      expectMatch(text, /User (declined|cancelled)/, 'text')
    },
  },
  {
    name: 'shows the URL that a call requires, and calls again',
    async run({ client, answers }) {
      const asked: (string | undefined)[] = []
      answers.elicit = async ({ url }) => {
        asked.push(url)
        return { action: 'accept' }
      }
      const url = 'https://example.com/pay'
      // The server never says that the first one is complete: the client waits for half of what time there is.
      const options = { timeoutMs: 4_000 }
      const result = await client.callTool('trigger-url-elicitation', { url, errorPath: true }, options)
      expectText(result, /User completed the URL elicitation flow/)
      expectEqual(asked, ['https://modelcontextprotocol.io/', url], 'what was asked')
    },
  },
  {
    name: 'a form whose hook throws is declined',
    async run({ client, answers }) {
      answers.elicit = async () => {
        throw new Error('the dialog crashed')
      }
      expectText(await client.callTool('trigger-elicitation-request'), /User declined to provide/)
    },
  },
  {
    name: 'samples',
    async run({ client, answers }) {
      let asked: SamplingRequest | undefined
      answers.sample = async (request) => {
        asked = request
        return { role: 'assistant', model: 'interop-model', content: { type: 'text', text: 'forty-two' } }
      }
      const result = await client.callTool('trigger-sampling-request', { prompt: 'six by nine', maxTokens: 10 })
      expectEqual(asked?.maxTokens, 10, 'maxTokens')
      expectMatch(JSON.stringify(asked?.messages), /six by nine/, 'messages')
      expectText(result, /interop-model(.|\n)*forty-two|forty-two(.|\n)*interop-model/)
    },
  },
  {
    name: 'a sampling hook that throws harms only its call',
    async run({ client, answers }) {
      let asked = 0
      answers.sample = async () => {
        asked += 1
        throw new Error('the model is away')
      }
      const failed = await client.callTool('trigger-sampling-request', { prompt: 'x' }).then(
        (result) => result.isError,
        () => true,
      )
      expectEqual([asked, failed], [1, true], 'how often the hook was asked, and whether the call failed')
      expectText(await client.callTool('echo', { message: 'still here' }), 'Echo: still here')
    },
  },
  {
    name: 'gives roots',
    async run({ client }) {
      expectText(await client.callTool('get-roots-list'), /1\. interop\n +URI: file:\/\/\/home\/interop/)
    },
  },
  {
    name: 'offers no dialogue without a hook',
    async run({ open }) {
      const names = (await (await open()).listTools()).map(({ name }) => name)
      const conditional = ['get-roots-list', 'trigger-elicitation-request', 'trigger-sampling-request']
      expectEqual(
        names.filter((name) => conditional.includes(name)),
        [],
        'tools for clients with hooks',
      )
      expectEqual(names.includes('echo'), true, 'whether there are tools')
    },
  },
  {
    name: 'runs a task',
    async run({ client }) {
      expectText(await client.callTool('simulate-research-query', { topic: 'otters' }), /^# Research Report: otters\n/)
    },
  },
  {
    name: 'answers what a task asks',
    async run({ client, answers }) {
      answers.elicit = async () => ({ action: 'accept', content: { interpretation: 'snake' } })
      const result = await client.callTool('simulate-research-query', { topic: 'python', ambiguous: true })
      expectText(result, /^# Research Report: python \(snake\)\n/)
    },
  },
]
