import type { JsonObject } from '../../protocol.js'
import type { JsonRpcMessage } from '../../transport/json-rpc.js'

/** Where the name of the tool rides past the engine whose call a server's request came with. */
const key = '@x/core/tool'

/** Marks a server's request with the tool that asks; what the server itself put there goes. */
export function markOrigin(request: JsonRpcMessage, during: JsonRpcMessage | undefined): JsonRpcMessage {
  const { params = {} } = request
  const { [key]: _, ...meta } = objectOf(params._meta)
  const tool = during?.method === 'tools/call' ? during.params?.name : undefined
  return { ...request, params: { ...params, _meta: { ...meta, ...(typeof tool === 'string' && { [key]: tool }) } } }
}

/** The parameters as the server sent them, and the tool that {@link markOrigin} has marked them with. */
export function takeOrigin(params: object | undefined): { params: JsonObject; tool?: string } {
  const { _meta, ...rest } = objectOf(params)
  const { [key]: tool, ...meta } = objectOf(_meta)
  return {
    params: { ...rest, ...(Object.keys(meta).length > 0 && { _meta: meta }) },
    ...(typeof tool === 'string' && { tool }),
  }
}

/** The id of the task for whose sake a server asks. */
export const relatedTask = ({ _meta }: JsonObject): unknown =>
  objectOf(objectOf(_meta)['io.modelcontextprotocol/related-task']).taskId

const objectOf = (value: unknown): JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : {}
