import type { JsonObject } from '@x/core'
import { expectEqual, expectMatch, expectText } from './expect.js'
import type { Step } from './step.js'

/** A tool asks, in forms one after the other, and these are the answers. */
function fillsIn(name: string, tool: string, args: JsonObject, contents: JsonObject[], expected: RegExp): Step {
  return {
    name,
    async run({ client, answers }) {
      let asked = 0
      answers.elicit = async () => {
        const content = contents[asked]
        asked += 1
        return content ? { action: 'accept', content } : { action: 'decline' }
      }
      const result = await client.callTool(tool, args)
      expectEqual(asked, Math.max(contents.length, 1), 'how often the hook was asked')
      expectText(result, expected)
    },
  }
}

const contact = { name: 'Ada', email: 'ada@example.com' }

/** Of simpleStreamableHttp: asked on the stream of the call, and beside a task. */
export const streamableDialogues: readonly Step[] = [
  fillsIn('answers a form', 'collect-user-info', { infoType: 'contact' }, [contact], /"email": "ada@example.com"/),
  fillsIn(
    "sends a form's defaults for what was left out",
    'collect-user-info',
    { infoType: 'preferences' },
    [{ theme: 'dark' }],
    /"notifications": true/,
  ),
  fillsIn('declines a form', 'collect-user-info', { infoType: 'feedback' }, [], /User declined feedback/),
  {
    name: 'runs a task',
    run: async ({ client }) => expectText(await client.callTool('delay', { duration: 50 }), 'Completed 50ms delay'),
  },
  fillsIn(
    'answers what a task asks',
    'collect-user-info-task',
    { infoType: 'contact' },
    [contact],
    /Collected contact info: (.|\n)*"name": "Ada"/,
  ),
]

const address = { name: 'Ada', street: 'Karl Johans gate 1', city: 'Oslo', state: 'OS', zipCode: '01540' }

/** Of elicitationFormExample: asked on the server's own stream, which the client must have opened before. */
export const elicitsForms: readonly Step[] = [
  fillsIn(
    'registers a user',
    'register_user',
    {},
    [{ username: 'ada', email: 'ada@example.com', password: 'correct horse' }],
    /Registration successful!\n\nUsername: ada\nEmail: ada@example.com\nNewsletter: No/,
  ),
  fillsIn(
    'creates an event in two forms',
    'create_event',
    {},
    [{ title: 'Tea' }, { date: '2026-12-01', startTime: '16:00', duration: 30 }],
    /Event created successfully!(.|\n)*"title": "Tea"(.|\n)*"duration": 30/,
  ),
  fillsIn('gives an address', 'update_shipping_address', {}, [address], /Address updated successfully!/),
  fillsIn('declines a form', 'register_user', {}, [], /Registration cancelled by user/),
]

/** Of simpleTaskInteractive: what is asked comes while the task's result is waited for. */
export const interactiveTasks: readonly Step[] = [
  fillsIn('a task asks to confirm', 'confirm_delete', { filename: 'a.txt' }, [{ confirm: true }], /^Deleted 'a.txt'$/),
  fillsIn('a task is declined', 'confirm_delete', { filename: 'a.txt' }, [], /^Deletion cancelled$/),
  {
    name: 'a task samples',
    async run({ client, answers }) {
      let asked = ''
      answers.sample = async ({ messages }) => {
        asked = JSON.stringify(messages)
        return { role: 'assistant', model: 'interop-model', content: { type: 'text', text: 'An old silent pond' } }
      }
      const result = await client.callTool('write_haiku', { topic: 'ponds' })
      expectMatch(asked, /haiku about ponds/, 'messages')
      expectText(result, 'Haiku:\nAn old silent pond')
    },
  },
]
