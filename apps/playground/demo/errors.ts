/** Answered as JSON-RPC error -32602: both SDKs take an error's code from its `code`. */
export class InvalidParamsError extends Error {
  readonly code = -32602
  readonly data: Record<string, unknown>

  constructor(message: string, data: Record<string, unknown> = {}) {
    super(message)
    this.name = 'InvalidParamsError'
    this.data = data
  }
}
