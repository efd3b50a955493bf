/** An error that both SDKs turn into a JSON-RPC error as it is. */
export function createRpcError(code: number, message: string, data?: unknown): Error {
  return Object.assign(new Error(message), { code, data })
}
