import type { ConnectOptions } from '../../config.js'
import { decodeSampling, encodeSampling } from '../../content/sampling.js'
import type { Finding, JsonObject } from '../../protocol.js'
import {
  type Answer,
  type Asking,
  internalError,
  invalidParams,
  isJson,
  isObject,
  methodNotFound,
  reasonOf,
  refuse,
} from './answer.js'

/** By the specification's example, the code for "the user said no". */
const rejected = -1

/**
 * Asks a model on a server's behalf.
 *
 * @see {@link https://modelcontextprotocol.io/specification/2025-11-25/client/sampling}
 */
export async function answerSampling(params: JsonObject, hooks: ConnectOptions, asking: Asking): Promise<Answer> {
  const { server, tool, report } = asking
  if (!hooks.sample) return refuse(methodNotFound, 'This client offers no sampling')
  const findings: Finding[] = []
  const decoded = decodeSampling(params, findings)
  if (!decoded) return refuse(invalidParams, 'The request lacks messages with a role and content, or maxTokens')
  for (const finding of findings) report(finding)
  const asked = await asking.ask(async () => hooks.sample!({ server, ...(tool !== undefined && { tool }), ...decoded }))
  if ('thrown' in asked) {
    report({ code: 'hook-failed', message: `The hook "sample" threw: ${reasonOf(asked.thrown)}` })
    return refuse(rejected, 'The sampling request was rejected', asked.thrown)
  }
  const result = encodeResult(asked.answer)
  if (result) return { result }
  report({
    code: 'answer-refused',
    message: `An answer of the hook "sample" can't be sent: it needs a role, a model and content, whose data are bytes`,
  })
  return refuse(internalError, 'The client has no usable answer')
}

function encodeResult(answer: unknown): JsonObject | undefined {
  if (!isObject(answer) || !isJson(answer)) return undefined
  const { role, content, model, stopReason, _meta } = answer
  const encoded = encodeSampling(content)
  if ((role !== 'user' && role !== 'assistant') || typeof model !== 'string' || encoded === undefined) return undefined
  return {
    role,
    content: encoded,
    model,
    ...(typeof stopReason === 'string' && { stopReason }),
    ...(isObject(_meta) && { _meta }),
  }
}
