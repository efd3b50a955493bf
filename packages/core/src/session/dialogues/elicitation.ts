import type { ConnectOptions } from '../../config.js'
import type { ElicitationRequest, ElicitationResult, JsonObject } from '../../protocol.js'
import { type Form, readForm } from '../../schema/form.js'
import { type Asking, askerOf, isObject, reasonOf } from './answer.js'

/** Characters that a URL may have: a person must be able to read it whole. */
const maxUrlLength = 2_048

const declined: ElicitationResult = { action: 'decline' }

/**
 * Puts a question to a person. Whatever is wrong with the question, or with the answer, declines it and is reported.
 *
 * @see {@link https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation}
 */
export async function answerElicitation(
  params: JsonObject,
  hooks: ConnectOptions,
  asking: Asking,
): Promise<ElicitationResult> {
  const decline = (code: string, message: string): ElicitationResult => {
    asking.report({ code, message })
    return declined
  }
  const declineQuestion = (why: string) =>
    decline('question-refused', `A question of ${askerOf(asking)} was declined: ${why}`)

  if (!hooks.elicit) return declineQuestion('there is no hook "elicit" to put it to')
  const read = readQuestion(params, asking)
  if (typeof read === 'string') return declineQuestion(read)
  const asked = await asking.ask(async () => hooks.elicit!(read.request))
  if ('thrown' in asked)
    return decline('hook-failed', `The hook "elicit" threw, and its question was declined: ${reasonOf(asked.thrown)}`)
  const declineAnswer = (fault: string) =>
    decline('answer-refused', `An answer of the hook "elicit" can't be sent, and its question was declined: ${fault}`)

  const answer: unknown = asked.answer
  const { action, content = {} } = isObject(answer) ? answer : {}
  if (action === 'decline' || action === 'cancel') return { action }
  if (action !== 'accept') return declineAnswer('its action is none of accept, decline and cancel')
  if (!read.form) return { action }
  if (!isObject(content)) return declineAnswer('its content is no object')
  const filled = read.form.fill(content)
  return 'fault' in filled ? declineAnswer(filled.fault) : { action, content: filled.content }
}

/** The question as the hook gets it, with its form if it has one; or why it is not put to anybody. */
function readQuestion(
  { mode = 'form', message, requestedSchema, url, elicitationId, _meta }: JsonObject,
  { server, tool }: Asking,
): { request: ElicitationRequest; form?: Form } | string {
  if (typeof message !== 'string') return 'it has no message'
  const common = {
    server,
    ...(tool !== undefined && { tool }),
    message,
    ...(isObject(_meta) && { _meta }),
  }
  if (mode === 'url') {
    const target = readUrl(url)
    if (typeof target === 'string') return target
    const id = typeof elicitationId === 'string' ? { elicitationId } : {}
    return { request: { ...common, mode, url: target.href, domain: target.host, ...id } }
  }
  if (mode !== 'form') return 'it is neither a form nor a URL'
  const form = readForm(requestedSchema)
  if (typeof form === 'string') return form
  return { request: { ...common, mode, requestedSchema: requestedSchema as JsonObject }, form }
}

/** A URL that a person may be shown, in the form in which a browser opens it; or why not. */
function readUrl(text: unknown): URL | string {
  if (typeof text !== 'string' || !URL.canParse(text)) return 'it has no URL'
  const url = new URL(text)
  if (url.protocol !== 'https:') return 'its URL does not begin with https:'
  if (url.username || url.password) return 'its URL has a user name, which passes for a host'
  if (url.href.length > maxUrlLength) return `its URL is longer than ${maxUrlLength} characters`
  return url
}
