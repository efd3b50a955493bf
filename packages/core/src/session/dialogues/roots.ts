import type { ConnectOptions } from '../../config.js'
import type { JsonObject } from '../../protocol.js'
import {
  type Answer,
  type Asking,
  internalError,
  isJson,
  isObject,
  methodNotFound,
  reasonOf,
  refuse,
} from './answer.js'

/**
 * Names the folders that a server may work in.
 *
 * @see {@link https://modelcontextprotocol.io/specification/2025-11-25/client/roots}
 */
export async function answerRoots(hooks: ConnectOptions, { server, report, ask }: Asking): Promise<Answer> {
  if (!hooks.roots) return refuse(methodNotFound, 'This client has no roots')
  const asked = await ask(async () => hooks.roots!({ server }))
  if ('thrown' in asked) {
    report({ code: 'hook-failed', message: `The hook "roots" threw: ${reasonOf(asked.thrown)}` })
    return refuse(internalError, 'The client could not name its roots', asked.thrown)
  }
  const roots: unknown = asked.answer
  if (Array.isArray(roots) && roots.every(isRoot) && isJson(roots)) return { result: { roots: roots.map(plainRoot) } }
  report({
    code: 'answer-refused',
    message: 'An answer of the hook "roots" can\'t be sent: it needs a list of { uri }, each file://',
  })
  return refuse(internalError, 'The client has no usable answer')
}

const isRoot = (root: unknown): root is JsonObject & { uri: string } =>
  isObject(root) && typeof root.uri === 'string' && URL.canParse(root.uri) && new URL(root.uri).protocol === 'file:'

const plainRoot = ({ uri, name, _meta }: JsonObject): JsonObject => ({
  uri: uri!,
  ...(typeof name === 'string' && { name }),
  ...(isObject(_meta) && { _meta }),
})
