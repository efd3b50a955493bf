import type { ConnectOptions, ElicitationRequest, JsonObject, SamplingRequest } from '@x/core'
import type { ContractContext } from '../contract-case.js'
import { equal, includes, ok, rejects } from '../expect.js'
import {
  formDefaults,
  formSchema,
  pictureBytes,
  type QuestionKind,
  samplingParams,
  visitId,
  visitUrl,
} from '../questions.js'
import { calls, clientHead, hasOneStream, type Promises, requests, textOf, timeToArriveMs } from './reading.js'

type Asking = Pick<ContractContext, 'connect' | 'toolName'>

/** Has the server ask all that, and gives what it was answered. */
async function ask({ connect, toolName }: Asking, kinds: QuestionKind[], hooks: ConnectOptions, together = false) {
  const client = await connect({}, hooks)
  return JSON.parse(textOf(await client.callTool(toolName('ask'), { kinds, together }))) as Record<string, JsonObject>
}

/** The tool that asks, where it can be told: on one stream for all, nothing says for which call's sake. */
const asker = (context: ContractContext) => (hasOneStream(context) ? {} : { tool: context.toolName('ask') })

const sampled = { role: 'assistant', model: 'the contract’s', stopReason: 'endTurn' } as const
const root = { uri: 'file:///home/ada/project', name: 'The project' }
const everyHook: ConnectOptions = {
  elicit: async ({ mode }) => ({ action: 'accept', ...(mode === 'form' && { content: { name: 'Ada' } }) }),
  sample: async () => ({ ...sampled, content: { type: 'text', text: 'a cat' } }),
  roots: async () => [root],
}

export const dialogues = {
  async 'a form is handed to the hook, and its defaults fill the answer'(context) {
    const { url } = context
    const seen: ElicitationRequest[] = []
    const { form } = await ask(context, ['form'], {
      async elicit(request) {
        seen.push(request)
        return { action: 'accept', content: { name: 'Ada', color: 'red' } }
      },
    })
    equal(seen.length, 1, 'how often the hook was asked')
    const asked = { server: url, ...asker(context), mode: 'form', message: 'Who are you?' }
    includes(seen[0], { ...asked, requestedSchema: formSchema as JsonObject }, 'what it was asked')
    includes(form, { action: 'accept', content: { ...formDefaults, name: 'Ada', color: 'red' } }, 'the answer')
  },

  async 'a person may decline or cancel'(context) {
    for (const action of ['decline', 'cancel'] as const) {
      const { form } = await ask(context, ['form'], { elicit: async () => ({ action }) })
      equal(form, { action }, action)
    }
  },

  async 'a URL is handed to the hook with its host, and only an action goes back'(context) {
    const seen: ElicitationRequest[] = []
    const { url } = await ask(context, ['url'], {
      async elicit(request) {
        seen.push(request)
        return { action: 'accept' }
      },
    })
    includes(seen, [{ mode: 'url', url: visitUrl, domain: 'visit.contract.example' }], 'what the hook was asked')
    equal(url, { action: 'accept' }, 'the answer')
  },

  async 'a question to a model is handed to the hook, with bytes both ways'(context) {
    const seen: SamplingRequest[] = []
    const { sampling } = await ask(context, ['sampling'], {
      async sample(request) {
        seen.push(request)
        return { ...sampled, content: { type: 'image', mimeType: 'image/png', data: pictureBytes.slice() } }
      },
    })
    const [text, picture] = samplingParams.messages
    const content = { type: 'image', mimeType: 'image/png', data: pictureBytes }
    const asked = { ...samplingParams, messages: [text, { ...picture, content }], ...asker(context) }
    includes(seen, [asked], 'what the hook was asked')
    const answered = { ...sampled, content: { type: 'image', mimeType: 'image/png', data: 'AAECAwQF' } }
    includes(sampling, answered, 'the answer')
  },

  async 'roots are told when the server asks for them'(context) {
    const { roots } = await ask(context, ['roots'], { roots: async () => [root] })
    includes(roots, { roots: [root] }, 'the answer')
  },

  async 'several questions of one call are answered, in turn or at once, and it runs once'(context) {
    const kinds: QuestionKind[] = ['form', 'url', 'sampling', 'roots']
    for (const together of [false, true]) {
      const answers = await ask(context, kinds, everyHook, together)
      includes(answers.form, { action: 'accept', content: { name: 'Ada' } }, 'form')
      includes(answers.url, { action: 'accept' }, 'url')
      includes(answers.sampling, { ...sampled, content: { type: 'text', text: 'a cat' } }, 'sampling')
      includes(answers.roots, { roots: [root] }, 'roots')
    }
    equal((await calls(context.control, 'ask')).length, 2, 'calls that ran')
  },

  async 'each hook is told to the server, and nothing that has none'({ connect, control, toolName }) {
    const declared = async () => {
      const log = (await control.log()).filter(
        ({ method, capabilities }) => method !== 'server/discover' && capabilities,
      )
      return log.at(-1)?.capabilities ?? {}
    }
    await (await connect({}, everyHook)).callTool(toolName('echo'), { text: '' })
    includes(await declared(), { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} }, 'with hooks')
    await (await connect()).callTool(toolName('echo'), { text: '' })
    const without = Object.keys(await declared())
    ok(!without.some((name) => ['elicitation', 'sampling', 'roots'].includes(name)), `without hooks: ${without}`)
  },

  async 'without a hook an elicitation is declined, and the connection lives on'({ connect, toolName }) {
    const client = await connect()
    for (const kind of ['form', 'url']) {
      const answers = JSON.parse(textOf(await client.callTool(toolName('ask'), { kinds: [kind] })))
      equal(answers[kind], { action: 'decline' }, kind)
    }
    equal(textOf(await client.callTool(toolName('echo'), { text: 'next' })), 'next', 'the next call')
  },

  async 'without a hook nobody samples, and the call says so'({ connect, api, path, serverEra, toolName }) {
    const client = await connect()
    // In the earlier era the server is told, and in front of a gateway so is its caller: what they make of it is theirs.
    const isToldHere = serverEra === 'modern' && path !== 'gateway'
    const errorClass = isToldHere ? api.InputRequiredError : api.JsonRpcError
    for (const kind of ['sampling', 'roots']) {
      const error = await rejects<Error>(client.callTool(toolName('ask'), { kinds: [kind] }), errorClass, kind)
      includes(error, { data: { tool: toolName('ask'), method: 'tools/call' } }, `${kind}: error`)
    }
    equal(textOf(await client.callTool(toolName('echo'), { text: 'next' })), 'next', 'the next call')
  },

  async 'a hook that throws, or answers what the form does not allow, has declined'(context) {
    const wrong: [string, ConnectOptions['elicit']][] = [
      ['throws', () => Promise.reject(new Error('the dialog broke'))],
      ['leaves out what is required', async () => ({ action: 'accept', content: { age: 36 } })],
      ['is of the wrong type', async () => ({ action: 'accept', content: { name: 'Ada', age: 'old' } })],
      ['is nonsense', async () => 'yes' as never],
    ]
    for (const [what, answer] of wrong) {
      let asked = 0
      const elicit: ConnectOptions['elicit'] = (request) => {
        asked++
        return answer!(request)
      }
      const { form } = await ask(context, ['form'], { elicit })
      equal(asked, 1, `${what}: how often the hook was asked`)
      ok(form?.action === 'decline' || form?.action === 'cancel', `${what}: ${JSON.stringify(form)}`)
      equal(form.content, undefined, `${what}: content`)
    }
  },

  async 'the time that a person takes counts against no limit'(context) {
    const { connect, toolName } = context
    const other = await connect()
    const timeoutMs = await timeToArriveMs(other, context)
    const slow = { ms: timeoutMs + 100, text: '' }
    const client = await connect(
      {},
      {
        async elicit() {
          await other.callTool(toolName('slow'), slow, { timeoutMs: null })
          return { action: 'cancel' }
        },
      },
    )
    const result = await client.callTool(toolName('ask'), { kinds: ['form'] }, { timeoutMs })
    equal(JSON.parse(textOf(result)), { form: { action: 'cancel' } }, 'the answer')
  },

  async 'a call that needs a visit first is sent once more when the visit is over'(context) {
    const { connect, control, serverEra, toolName } = context
    const seen: ElicitationRequest[] = []
    const client = await connect(
      {},
      {
        async elicit(request) {
          seen.push(request)
          // What the person does there is not for the client to see: it hears of it by a stream of its own.
          if (serverEra === 'legacy') {
            const [listened] = await control.waitFor({ kind: 'request', httpMethod: 'GET' })
            equal(clientHead(listened!).httpMethod, 'GET', 'what the client itself sent')
            await control.waitFor({ kind: 'listening' })
          }
          await control.act({ do: 'complete-visit' })
          return { action: 'accept' }
        },
      },
    )
    const result = await client.callTool(toolName('visit'))
    const legacy = serverEra === 'legacy'
    equal(textOf(result), legacy ? 'been there' : JSON.stringify({ url: { action: 'accept' } }), 'result')
    const asked = { mode: 'url', url: visitUrl, tool: toolName('visit'), ...(legacy && { elicitationId: visitId }) }
    includes(seen, [asked], 'what the hook was asked')
    equal((await requests(control, 'tools/call')).length, 2, 'how often the call was sent')
  },
} satisfies Promises
